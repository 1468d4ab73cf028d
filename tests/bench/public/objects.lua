-- Numbers, strings, tables, closures, method calls, a coroutine.
local n = tonumber(arg[1])
local Point = {}
Point.__index = Point
function Point.new(x, y) return setmetatable({x = x, y = y}, Point) end
function Point:plus(o) return Point.new(self.x + o.x, self.y + o.y) end
local function fib(k) if k < 2 then return k end return fib(k - 1) + fib(k - 2) end
local function counter() local c = 0 return function() c = c + 1 return c end end
local list = coroutine.wrap(function() for i = 1, n do coroutine.yield(i) end end)
local next_one, p, words = counter(), Point.new(0, .5), {}
for i = 1, n do
    p = p:plus(Point.new(list(), .25))
    words[#words + 1] = ("%d:%s"):format(next_one(), ("ab"):rep(i % 5))
    if i % 100 == 0 then print(i, p.x, p.y, fib(8), #table.concat(words, ",")) end
end
table.sort(words, function(a, b) return a > b end)
print(words[1], #words)
