/* pc3-test: seq */
/* State of the C library of which little is seen: variables that programs may assign to, what fork is to call, environ. */
#define _GNU_SOURCE
#include "check.h"
#include <errno.h>
#include <error.h>
#include <fcntl.h>
#include <math.h>
#include <pthread.h>
#include <signal.h>
#include <sys/wait.h>
#include <syslog.h>
#include <unistd.h>
#include <wchar.h>

static FILE *first_output, *first_error;
static char **kept;
static int before, in_parent;
static volatile int interrupted;

static void streams(void)
{
    FILE *own = fopen("own.txt", "w+"), *first_input = stdin;
    first_output = stdout, first_error = stderr;
    stderr = stdout;
#pragma pc3 checkpoint
    fprintf(stderr, "to standard output\n");
    fflush(stderr);
    stdout = own;
#pragma pc3 checkpoint
    printf("to a file of its own\n");
    fprintf(stderr, "again\n");
#pragma pc3 checkpoint
    printf("twice\n");
    stdout = first_output;
    show("own", stderr == first_output && stderr != first_error);
    stderr = first_error;
    rewind(own);
    stdin = own;
    char line[40];
#pragma pc3 checkpoint
    while (scanf("%39[^\n]\n", line) == 1) {
        show_text("line", line);
#pragma pc3 checkpoint
    }
    stdin = first_input;
    fclose(own);
}

static void progname(void)
{
    fputs("a name: ", stderr);
}

static char name[] = "another name";

static void errors(void)
{
    FILE *text = fopen("errors.txt", "w+");
    stderr = text;
    error_print_progname = progname;
    error_one_per_line = 1;
    program_invocation_name = name;
    program_invocation_short_name = name + 8;
    for (int i = 0; i < 3; i++) {
#pragma pc3 checkpoint
        error_at_line(0, 0, "a.c", 7, "said once");
        error(0, 0, "number %d", i);
    }
    show("messages", error_message_count);
    show_text("name", program_invocation_name);
    show_text("short", program_invocation_short_name);
    rewind(text);
    char line[80];
    while (fgets(line, sizeof line, text))
        printf("%s", line);
    fclose(text);
    stderr = first_error;
}

static void prepare(void)
{
    before = before * 2 + 1;
}

static void prepare_first(void)
{
    before = before * 3;
}

static void parent(void)
{
    in_parent++;
}

static void forks(void)
{
    pthread_atfork(prepare, parent, NULL);
    pthread_atfork(prepare_first, parent, parent);
    for (int i = 0; i < 2; i++) {
        fflush(stdout);
        pid_t child = fork();
        if (child == 0)
            _exit(10 * before + in_parent);
        int status;
        show("waited", waitpid(child, &status, 0) == child);
        show("child", WEXITSTATUS(status));
        show("parent", before * 100 + in_parent);
#pragma pc3 checkpoint
    }
}

static void interrupts(int signal)
{
    interrupted = signal;
}

static void calls(void)
{
    struct sigaction now;
    siginterrupt(SIGALRM, 1);
#pragma pc3 checkpoint
    signal(SIGALRM, interrupts);
    sigaction(SIGALRM, NULL, &now);
    show("restarts", (now.sa_flags & SA_RESTART) != 0);
    signal(SIGURG, interrupts);
    sigaction(SIGURG, NULL, &now);
    show("restarts", (now.sa_flags & SA_RESTART) != 0);
    sighold(SIGURG);
    raise(SIGURG);
#pragma pc3 checkpoint
    show("came", interrupted);
    sigrelse(SIGURG);
    show("came", interrupted);
    int one = 1 << (SIGHUP - 1), mask = sigblock(one);
#pragma pc3 checkpoint
    show("blocked", sigsetmask(mask) - mask == one);
}

static void descriptors(void)
{
    FILE *seen = fopen("seen.txt", "w+"), *unseen = fopen("unseen.txt", "w+");
    int number = fileno(seen), low = open("low.txt", O_RDWR | O_CREAT | O_TRUNC, 0600);
    int high = fcntl(low, F_DUPFD, 100);
    close(low);
    for (int i = 0; i < 2; i++) {
#pragma pc3 checkpoint
        show("number", number == fileno(seen));
        fprintf(unseen, "turn %d\n", i);
        if (write(high, "ab", 2) != 2 || write(number, "c", 1) != 1)
            abort();
        show("ends", lseek(high, 0, SEEK_CUR) * 10 + lseek(number, 0, SEEK_END));
    }
    show("wrote", ftell(unseen));
    fclose(seen), fclose(unseen);
    closefrom(90);
#pragma pc3 checkpoint
    show("closed", close(high));
    show("range", close_range(3, 9, 1 << 20));
}

static void texts(void)
{
    char words[] = "one,two=2,three", *rest, *value, *options = words;
    char *const known[] = {"one", "two", "three", NULL};
    while (*options) {
        int n = getsubopt(&options, known, &value);
#pragma pc3 checkpoint
        show("option", n);
        show_text("value", value ? value : "none");
    }
    char list[] = "a b c";
    for (char *w = strtok_r(list, " ", &rest); w; w = strtok_r(NULL, " ", &rest)) {
#pragma pc3 checkpoint
        show_text("word", w);
    }
    char *fields = list;
    memcpy(list, "d;e;f", 6);
    while (fields) {
        char *f = strsep(&fields, ";");
#pragma pc3 checkpoint
        show_text("field", f);
    }
    wchar_t wide[] = L"x y", *state;
    wchar_t *w = wcstok(wide, L" ", &state);
#pragma pc3 checkpoint
    show("wide", *w == L'x' && *wcstok(NULL, L" ", &state) == L'y');
}

static void numbers(void)
{
    unsigned seed = 5;
    struct drand48_data drand;
    double real;
    long whole;
    srand48_r(9, &drand);
    for (int i = 0; i < 3; i++) {
#pragma pc3 checkpoint
        show("rand", rand_r(&seed));
        drand48_r(&drand, &real);
        lrand48_r(&drand, &whole);
        show_real("drand", real);
        show("lrand", whole);
    }
    show_real("gamma", lgamma(-0.5));
#pragma pc3 checkpoint
    show("sign", signgam);
    show_real("gamma", lgamma(3));
    show("sign", signgam);
}

static void environment(void)
{
    kept = environ;
#pragma pc3 checkpoint
    show("same", kept == environ);
    setenv("STATE_A", "1", 1);
    kept = environ;
    char **at = environ;
    while (*at && strncmp(*at, "STATE_A", 7))
        at++;
#pragma pc3 checkpoint
    show("same", kept == environ);
    show("there", *at && !strcmp(*at + 8, getenv("STATE_A")));
    unsetenv("STATE_A");
}

static void quick(void)
{
    printf("quick\n");
    fflush(stdout);
}

int main(void)
{
    streams();
    errors();
    forks();
    calls();
    descriptors();
    texts();
    numbers();
    environment();
    openlog("state", 0, LOG_USER);
    show("mask", setlogmask(LOG_UPTO(LOG_ERR)));
#pragma pc3 checkpoint
    show("mask", setlogmask(0));
    finish();
    at_quick_exit(quick);
#pragma pc3 checkpoint
    fflush(stdout);
    quick_exit(EXIT_SUCCESS);
}
