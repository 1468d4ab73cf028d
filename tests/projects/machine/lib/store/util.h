unsigned hash_text(const char *text);
