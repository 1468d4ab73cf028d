/* Functions that fill a `struct tm` of the program's: the name of the zone in it is memory of the program, too. */

struct tm {
    int tm_sec, tm_min, tm_hour, tm_mday, tm_mon, tm_year, tm_wday, tm_yday, tm_isdst;
    long tm_gmtoff;
    const char *tm_zone;
};

int strcmp(const char *, const char *);

struct tm *local_in_library(const long *, struct tm *) __asm__("localtime_r");
struct tm *utc_in_library(const long *, struct tm *) __asm__("gmtime_r");
long from_local_in_library(struct tm *) __asm__("mktime");
long from_utc_in_library(struct tm *) __asm__("timegm");
char *read_in_library(const char *, const char *, struct tm *) __asm__("strptime");

struct tm *localtime_r(const long *, struct tm *) __asm__("pc3_localtime_r");
struct tm *gmtime_r(const long *, struct tm *) __asm__("pc3_gmtime_r");
long mktime(struct tm *) __asm__("pc3_mktime");
long timegm(struct tm *) __asm__("pc3_timegm");
char *strptime(const char *, const char *, struct tm *) __asm__("pc3_strptime");

enum { ZONES = 16, LENGTH = 32 };

/* Those that were met; the last place is for all that have none. */
static char zones[ZONES][LENGTH];

static const char *kept(const char *name)
{
    int n = 0, i = 0;
    if (!name)
        return 0;
    while (n < ZONES - 1 && zones[n][0] && strcmp(zones[n], name))
        n++;
    if (n == ZONES - 1 || !zones[n][0]) {
        for (; name[i] && i < LENGTH - 1; i++)
            zones[n][i] = name[i];
        zones[n][i] = 0;
    }
    return zones[n];
}

struct tm *localtime_r(const long *when, struct tm *date)
{
    struct tm *done = local_in_library(when, date);
    if (done)
        done->tm_zone = kept(done->tm_zone);
    return done;
}

struct tm *gmtime_r(const long *when, struct tm *date)
{
    struct tm *done = utc_in_library(when, date);
    if (done)
        done->tm_zone = kept(done->tm_zone);
    return done;
}

/* Those below leave the name alone where they fail. */
long mktime(struct tm *date)
{
    const char *before = date->tm_zone;
    long when = from_local_in_library(date);
    if (date->tm_zone != before)
        date->tm_zone = kept(date->tm_zone);
    return when;
}

long timegm(struct tm *date)
{
    const char *before = date->tm_zone;
    long when = from_utc_in_library(date);
    if (date->tm_zone != before)
        date->tm_zone = kept(date->tm_zone);
    return when;
}

char *strptime(const char *text, const char *format, struct tm *date)
{
    const char *before = date->tm_zone;
    char *end = read_in_library(text, format, date);
    if (date->tm_zone != before)
        date->tm_zone = kept(date->tm_zone);
    return end;
}
