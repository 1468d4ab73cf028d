#include <pc3.h>
#include <fcntl.h>
#include <locale.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>
__attribute__((constructor)) static void early(void) {}
int main(void) {
    char text[] = "a b";
    srand(1);
    setlocale(LC_ALL, "");
    for (char *w = strtok(text, " "); w; w = strtok(0, " "))
        pc3_checkpoint();
    return rand() + open("x", O_RDONLY);
}
