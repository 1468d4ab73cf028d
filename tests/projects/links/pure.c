int pure(int i) { return i + 1; }
