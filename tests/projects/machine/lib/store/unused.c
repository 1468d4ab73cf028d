/* Never taken from the archive: a second main would be one too many. */
int main(void) { return 3; }
int unused_anywhere(void) { return 4; }
