-- Closures: open and closed upvalues, shared, in coroutines, in loops.
local function counter(n)
  local shared = n
  return function() shared = shared + 1; return shared end, function() return shared end
end
local list = {}
for i = 1, 12 do
  local inc, get = counter(i * 10)
  list[i] = { inc = inc, get = get, own = function() return i + get() end }
end
local open = 0
local function bump() open = open + 1; return open end
for i = 1, 12 do
  local inner = i
  local function see() inner = inner + bump(); return inner end
  print(i, list[i].inc(), list[i].get(), list[i].own(), see(), open)
  list[i].see = see
end
for i = 12, 1, -1 do print(list[i].see(), list[i].own(), open) end
local function fib(n) if n < 2 then return n end return fib(n - 1) + fib(n - 2) end
print(fib(15))
local co = coroutine.wrap(function()
  local x = 1
  local function step() x = x * 3 % 1000003; return x end
  while true do print("in", step()); coroutine.yield(x, step) end
end)
for i = 1, 6 do local v, s = co(); print("out", v, s(), v) end
local function vararg(...) local a, b = ...; print(select("#", ...), a, b); return ... end
print(vararg(1, "two", 3.5, nil))
for i = 1, 3 do
  for j = 1, 3 do
    if j == 2 then goto continue end
    print("goto", i, j)
    ::continue::
  end
end
print(7 // 2, -7 // 2, 7 % -3, -7 % 3, 7.5 // 2, 1 / 0, -1 / 0, 0x7fffffffffffffff + 1, 5 // 0.0)
print(1 << 63, 1 << 64, -1 >> 1, ~0, 3 | 4, 7 & 2, 5 ~ 3, 2^53 | 0)
print(math.type(1), math.type(1.0), math.tointeger(3.0), 10 == 10.0, "10" + 1, 10 .. 20)
