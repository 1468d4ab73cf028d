-- Closures, metatables, coroutines within each other, errors, variable arguments.
local Point = {}
Point.__index = Point
Point.__add = function(a, b) return setmetatable({ x = a.x + b.x, y = a.y + b.y }, Point) end
Point.__tostring = function(p) print("to a string"); return "(" .. p.x .. ", " .. p.y .. ")" end
Point.__eq = function(a, b) return a.x == b.x and a.y == b.y end
Point.__call = function(p, n) return p.x * n end
Point.__lt = function(a, b) print("less"); return a.x < b.x end
local function new(x, y) return setmetatable({ x = x, y = y }, Point) end

local function counter()
  local n = 0
  return function() n = n + 1; return n end, function() return n end
end
local inc, get = counter()
print("closures", inc(), inc(), get())

local function walk(t, depth)
  if type(t) == "table" then
    for _, v in ipairs(t) do walk(v, depth + 1) end
  else
    print("inside", t, depth)
    coroutine.yield(t, depth)
  end
end
local outer = coroutine.wrap(function()
  local inner = coroutine.wrap(function() walk({ 1, { 2, { 3, 4 } }, 5 }, 0) end)
  for i = 1, 5 do
    local v, depth = inner()
    coroutine.yield(v * i, depth)
  end
end)
for i = 1, 5 do print("yielded", outer()) end

local p = new(1, 2) + new(3, 4.5)
print(tostring(p), p == new(4, 6.5), p(3), new(1, 1) < p, inc(), get())

local ok, e = pcall(function(...) print("in pcall", ...); error({ code = 7 }) end, 1, nil, "z")
print(ok, e.code, select("#", nil, nil), 7 // 2, -7 // 2, 7 % -3, 1 << 40, 3 ~ 5, 2 ^ 53)
print(math.maxinteger, math.mininteger, 1e308 * 10, 3 // 0.0, "10" + 5)
print(pcall(string.rep))
local f = load("local a, b = ...; return function(c) return a + b + c end")
print(f(1, 2)(3))
math.randomseed(42)
local a, b = math.random(1000), math.random(1000)
print("random")
math.randomseed(42)
print(a == math.random(1000), b == math.random(1000))
