//! A script of a thousand SQL statements, the same every time.

/// One statement a line; some of them fail.
pub fn thousand() -> String {
    let mut list: Vec<String> = SCHEMA.iter().map(|s| s.to_string()).collect();
    let mut g = Generator {
        state: 7,
        people: 0,
    };
    while list.len() < 1000 {
        list.push(g.statement());
    }
    list.iter().map(|s| format!("{s};\n")).collect()
}

const SCHEMA: &[&str] = &[
    "PRAGMA cache_size=50",
    "CREATE TABLE person(id INTEGER PRIMARY KEY, name TEXT NOT NULL, age INT, city TEXT, score REAL, note BLOB)",
    "CREATE INDEX by_city ON person(city, age)",
    "CREATE TABLE visit(person INT REFERENCES person(id), day INT, what TEXT, cost NUMERIC, \
     PRIMARY KEY(person, day)) WITHOUT ROWID",
    "CREATE VIEW rich AS SELECT name, sum(cost) AS total FROM person JOIN visit ON id=person GROUP BY id HAVING total>50",
    "CREATE TABLE log(n INTEGER PRIMARY KEY AUTOINCREMENT, what TEXT)",
    "CREATE TRIGGER grown AFTER UPDATE OF age ON person WHEN new.age>old.age BEGIN \
     INSERT INTO log(what) VALUES(printf('%s %d->%d', new.name, old.age, new.age)); END",
];

const CITIES: [&str; 5] = ["Bonn", "Oslo", "Rome", "Kyiv", "Lima"];
const NAMES: [&str; 6] = ["ada", "bob", "cy", "dora", "emil", "fay"];
const THINGS: [&str; 3] = ["tea", "cake", "ride"];
const OTHERS: [&str; 10] = [
    "BEGIN; UPDATE log SET what=upper(what) WHERE n%3=0; ROLLBACK",
    "SAVEPOINT s; DELETE FROM log WHERE n%2=1; RELEASE s",
    "SELECT count(*), total(length(what)) FROM log",
    "SELECT json_group_array(json_object('n',n,'w',what)) FROM (SELECT * FROM log ORDER BY n DESC LIMIT 4)",
    "PRAGMA integrity_check",
    "REINDEX",
    "ANALYZE; SELECT * FROM sqlite_stat1 ORDER BY 1,2",
    "SELECT * FROM nowhere",
    "SELECT substr(hex(note),1,4), typeof(score), name LIKE '%a%', instr(name,'o') FROM person ORDER BY random()*0, id LIMIT 5",
    "EXPLAIN QUERY PLAN SELECT * FROM rich",
];

struct Generator {
    state: u32,
    people: u32,
}

impl Generator {
    fn below(&mut self, n: u32) -> u32 {
        self.state = self
            .state
            .wrapping_mul(1_664_525)
            .wrapping_add(1_013_904_223);
        (self.state >> 8) % n
    }

    fn of(&mut self, list: &[&'static str]) -> &'static str {
        let i = self.below(list.len() as u32);
        list[i as usize]
    }

    fn statement(&mut self) -> String {
        let kind = if self.people < 10 { 0 } else { self.below(16) };
        match kind {
            0..=4 => {
                self.people += 1;
                let n = self.people;
                format!(
                    "INSERT INTO person(name,age,city,score,note) VALUES('{}{}',{},'{}',{}.{},x'{:08x}')",
                    self.of(&NAMES), n, self.below(90), self.of(&CITIES), self.below(100), self.below(1000),
                    self.below(1 << 24)
                )
            }
            5..=7 => format!(
                "INSERT OR REPLACE INTO visit VALUES({},{},'{}',{}.{})",
                1 + self.below(self.people), self.below(30), self.of(&THINGS), self.below(99), self.below(10)
            ),
            8 => format!(
                "UPDATE person SET age=age+{}-2, score=round(score*1.01,4) WHERE id%7={}",
                self.below(5), self.below(7)
            ),
            9 => format!(
                "SELECT city, count(*), avg(age), max(score), group_concat(name,'|') FROM \
                 (SELECT * FROM person WHERE id>{} ORDER BY name) GROUP BY city ORDER BY 2 DESC, 1",
                self.people - 10
            ),
            10 => format!(
                "SELECT name, round(total,2) FROM rich ORDER BY total DESC, name LIMIT {}",
                1 + self.below(6)
            ),
            11 => format!(
                "WITH RECURSIVE c(x,y) AS (SELECT 1,{} UNION ALL SELECT x+1, (y*{}+x)%1009 FROM c WHERE x<{}) \
                 SELECT sum(y), min(y), max(x), hex(sum(y*x)) FROM c",
                1 + self.below(9), 2 + self.below(7), 10 + self.below(50)
            ),
            12 => format!(
                "DELETE FROM visit WHERE day={} AND person%5={}",
                self.below(30), self.below(5)
            ),
            13 => format!(
                "SELECT p.name, v.day, rank() OVER (PARTITION BY p.city ORDER BY v.cost DESC, v.day, p.id) FROM person p \
                 LEFT JOIN visit v ON v.person=p.id WHERE p.city='{}' ORDER BY p.id DESC, v.day LIMIT 7",
                self.of(&CITIES)
            ),
            14 => self.of(&OTHERS).to_owned(),
            _ => format!(
                "SELECT strftime('%Y-%m-%d %H:%M', {}, 'unixepoch'), printf('%08.3f|%-6s|%+d|%x', {}.{}, 'ab', {}-50, {}), \
                 coalesce(NULL,{}), cast('{}.5' AS REAL)/3",
                self.below(1 << 24) * 100, self.below(10_000), self.below(1000), self.below(100), self.below(1 << 24),
                self.below(9), self.below(99)
            ),
        }
    }
}
