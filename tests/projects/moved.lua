-- What a stopped and continued interpreter must still have right: coroutines, tables with tables and functions as keys,
-- weak tables, closures, metatables, errors, strings, garbage collection, numbers of both kinds.
local keys, by_key, weak = {}, {}, setmetatable({}, { __mode = "k" })
local generator = coroutine.wrap(function()
  for i = 1, math.huge do coroutine.yield(i * i % 1009) end
end)
local point = {}
point.__index = point
point.__add = function(a, b) return setmetatable({ x = a.x + b.x, y = a.y * b.y }, point) end
point.__tostring = function(p) return ("(%d, %.6f)"):format(p.x, p.y) end
point.__close = function(p) by_key.closed = (by_key.closed or 0) + p.x end
local sum = setmetatable({ x = 0, y = 1.5 }, point)
local function counter(n)
  return function() n = n + 1; return n end
end
local count = counter(10)

local function deep(n)
  if n == 0 then
    print("at the bottom", count())
    return 0
  end
  local here <close> = setmetatable({ x = n, y = 1 }, point)
  return n + deep(n - 1)
end

for i = 1, 60 do
  local t = { i }
  keys[#keys + 1] = t
  by_key[t] = i
  by_key[counter] = i
  weak[t] = ("w"):rep(i % 7)
  sum = sum + setmetatable({ x = i, y = 1 + 1 / (i + 3) }, point)
  if i % 9 == 0 then table.remove(keys, 1); collectgarbage() end
  local ok, why = pcall(function()
    if i % 11 == 0 then error({ code = i }) end
    if i % 13 == 0 then local x = nil; return x.y end
    return i
  end)
  local found = 0
  for _, k in ipairs(keys) do found = found + by_key[k] + #weak[k] end
  table.sort(keys, function(a, b)
    if a[1] == 30 and b[1] == 31 then print("sorting") end
    return a[1] < b[1]
  end)
  print(i, generator(), found, by_key[counter], ok, type(why) == "table" and why.code or why, tostring(sum))
  print((("%d:%s;"):rep(3)):format(i, "a", i // 2, "b", i * 4, "c"), ("x1y22z333"):gsub("%d+", function(d) return d + i end))
  if i % 15 == 0 then print(deep(5), by_key.closed) end
end
print(select("#", table.unpack(keys)), utf8.char(228, 8364), string.pack("<i4", 7):byte(1, -1))
