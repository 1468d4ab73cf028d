-- Metatables, weak tables, tables with functions and tables as keys, finalizers, errors.
local V = {}
V.__index = function(t, k) return k .. "!" end
V.__newindex = function(t, k, v) rawset(t, k, v * 2) end
V.__len = function() return 42 end
V.__concat = function(a, b) return "cat" end
V.__unm = function(a) return "neg" end
V.__idiv = function(a, b) return "idiv" end
V.__call = function(self, ...) print("called", ...); return select("#", ...) end
V.__close = function() print("closing") end
V.__name = "V"
local v = setmetatable({}, V)
v.a = 21
print(v.a, v.b, #v, v .. "x", -v, v // 1, v(1, 2, 3))
local keyed = {}
local keys = {}
for i = 1, 40 do
  local k
  if i % 4 == 0 then k = function() return i end
  elseif i % 4 == 1 then k = { i }
  elseif i % 4 == 2 then k = "key" .. i
  else k = i + 0.25 end
  keys[#keys + 1] = k
  keyed[k] = i
end
for i, k in ipairs(keys) do
  assert(keyed[k] == i)
  if i % 5 == 0 then print("found", i, keyed[k]); keyed[{}] = -i; keyed[k] = i end
end
for i, k in ipairs(keys) do assert(keyed[k] == i, i) end
local n, sum = 0, 0
for k, x in pairs(keyed) do
  n = n + 1
  sum = sum + x
  if n % 6 == 0 then print("traversal", n) end
end
print(n, sum)
local weak = setmetatable({}, { __mode = "k" })
local values = setmetatable({}, { __mode = "v" })
local hold = {}
for i = 1, 50 do
  local t = { i }
  weak[t] = i; values[i] = t
  if i % 5 == 0 then hold[#hold + 1] = t end
end
collectgarbage()
local c = 0
for t, i in pairs(weak) do c = c + i end
print("weak", c)
for i, t in ipairs(hold) do print(weak[t], values[t[1]] == t) end
local eph = setmetatable({}, { __mode = "k" })
do local a, b = {}, {}; eph[a] = b; eph[b] = a; hold.a = a end
collectgarbage()
print(eph[hold.a] ~= nil, eph[eph[hold.a]] == hold.a)
local order = {}
for i = 1, 3 do setmetatable({}, { __gc = function() order[#order + 1] = i; print("gc", i) end }) end
collectgarbage()
print(table.concat(order, ","))
print(pcall(error, { code = 1 }) , select(2, pcall(error, "msg", 0)))
print(xpcall(function() local x = nil; return x.y end, function(m) print("handler"); return "H:" .. m end))
print(pcall(function() error(setmetatable({}, { __tostring = function() return "E" end })) end))
local ok, e = pcall(function()
  local a <close> = setmetatable({}, V)
  print("before"); error("inside", 0)
end)
print(ok, e)
print(select(2, pcall(string.rep, "x", -1)), pcall(setmetatable, 1, {}))
local t = setmetatable({}, { __pairs = function(t) return function(_, k) k = (k or 0) + 1; if k < 4 then return k, k * k end end, t, nil end })
for k, x in pairs(t) do print("pairs", k, x) end
print(rawlen({ 1, 2 }), rawequal(t, t), rawget(V, "zz"), next({}), type(next), #arg)
