# What scripts do: fields, tables, strings, regular expressions, arithmetic.
BEGIN {
    n = n ? n : 8000
    for (i = 0; i < n; i++) {
        count[i % 97] += i * 2
        text = text substr("abcdefghij", i % 10 + 1, 1)
        if (length(text) > 200) {
            seen[text]++
            gsub(/c/, "xx", text)
            total += length(text)
            text = ""
        }
        if (i % 2000 == 0)
            print i, total
    }
    for (k in count)
        sum += count[k]
    printf "%d %d %s\n", sum, total, toupper("end")
    m = split("a b c d", parts, " ")
    print m, parts[3]
}
