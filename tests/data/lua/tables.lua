-- Tables with keys of all kinds, a traversal that goes on behind each location, weak tables and finalizers.
local keyed, keys = {}, {}
for i = 1, 24 do
  local k = ({ function() return i end, { i }, i % 2 == 0, i + 0.5, "k" .. i, coroutine.create(print) })[i % 6 + 1]
  keys[i] = k
  keyed[k] = i
end
keyed[print] = "print"
print("keyed")
for i, k in ipairs(keys) do print(i, type(k), keyed[k]) end

local seen, sum, k = 0, 0, nil
repeat
  k = next(keyed, k)
  if k ~= nil and k ~= print then
    seen = seen + 1
    sum = sum + keyed[k]
    print("next", seen)
  end
until k == nil
print("seen", seen, sum, keyed[print])

local weak, strong = setmetatable({}, { __mode = "k" }), {}
for i = 1, 30 do
  local t = { i }
  weak[t] = i
  if i % 3 == 0 then strong[#strong + 1] = t end
end
print("weak")
collectgarbage()
local left = 0
for t, v in pairs(weak) do
  left = left + v
  weak[t] = v + 1
end
print("weak", left, weak[strong[1]])

do
  local c <close> = setmetatable({}, { __close = function() print("closed") end })
  print("open")
end
setmetatable({}, { __gc = function() print("collected") end })
collectgarbage()

local t = { 5, 3, 8, 1, 9, 2 }
table.sort(t, function(a, b) print("sort"); return a < b end)
print(table.concat(t, " "))
