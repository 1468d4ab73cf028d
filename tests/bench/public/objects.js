// Calls, objects, arrays, strings, a map, sorting, regular expressions, JSON.
function fib(n) { return n < 2 ? n : fib(n - 1) + fib(n - 2); }
function Point(x, y) { this.x = x; this.y = y; }
Point.prototype.plus = function (o) { return new Point(this.x + o.x, this.y + o.y); };
var rounds = +scriptArgs[1], total = 0, text = "", list = [], map = new Map();
for (var i = 0; i < rounds; i++) {
    var p = new Point(i, 1.5);
    total += fib(10) + i;
    for (var j = 0; j < 200; j++) {
        p = p.plus(new Point(j, 0.25));
        list.push(j * i % 101);
        map.set("k" + j % 50, p.x);
        text += String.fromCharCode(97 + j % 26);
    }
    list.sort(function (a, b) { return b - a; });
    text = text.replace(/[aeiou]/g, "_").slice(-200);
    print(i, total, p.x, p.y, list.length, map.size);
}
print(JSON.stringify({first: list.slice(0, 5), keys: [...map.keys()].slice(0, 4), text: text.slice(0, 30)}));
