-- Strings while they are built: buffers that have grown, patterns whose replacement is a location.
local parts = {}
for i = 1, 60 do parts[#parts + 1] = string.format("%d:%s:%5.2f", i, ("ab"):rep(i % 5), i / 7) end
print(#table.concat(parts, ","))
local long, n = ("x"):rep(40):gsub("x", function() print("replaced"); return ("yz"):rep(40) end)
print(#long, n, long:sub(1, 4), long:find("zy", 100, true))
for w, v in ("one=1 two=2 three=3"):gmatch("(%w+)=(%w+)") do print(w, v) end
local words = {}
for w in ("the quick brown fox jumps over the lazy dog the end"):gmatch("%a+") do
  words[w] = (words[w] or 0) + 1
  print("word", w, words[w])
end
print(("%q"):format("a\nb\0c"), ("abc"):byte(1, -1), ("héllo"):len(), utf8 and utf8.len("héllo"))
print(string.format("%-5s|%5d|%x|%g|%s", "ab", 42, 255, 0.1, tostring(nil)), ("x"):rep(3, "-"), ("abc"):reverse():upper())
print(tostring(1e15), 2 ^ 63, 10 // 3, 1e100, -0.0, tostring(3) == "3", 0x10p2)
