/* localtime and the others that return a pointer to their own memory. */

struct tm {
    int tm_sec, tm_min, tm_hour, tm_mday, tm_mon, tm_year, tm_wday, tm_yday, tm_isdst;
    long tm_gmtoff;
    const char *tm_zone;
};

void tzset(void);
struct tm *localtime_r(const long *, struct tm *);
struct tm *gmtime_r(const long *, struct tm *);
char *asctime_r(const struct tm *, char *);

struct tm *localtime(const long *) __asm__("pc3_localtime");
struct tm *gmtime(const long *) __asm__("pc3_gmtime");
char *asctime(const struct tm *) __asm__("pc3_asctime");
char *ctime(const long *) __asm__("pc3_ctime");

static struct tm broken_down;
static char text[114], zone[32];

/* The zone's name as well is memory of the program. */
static struct tm *kept(struct tm *when)
{
    int i = 0;
    if (!when)
        return 0;
    for (; when->tm_zone && when->tm_zone[i] && i < (int)sizeof zone - 1; i++)
        zone[i] = when->tm_zone[i];
    zone[i] = 0;
    when->tm_zone = zone;
    return when;
}

struct tm *localtime(const long *when)
{
    tzset();
    return kept(localtime_r(when, &broken_down));
}

struct tm *gmtime(const long *when)
{
    return kept(gmtime_r(when, &broken_down));
}

char *asctime(const struct tm *when)
{
    return asctime_r(when, text);
}

char *ctime(const long *when)
{
    struct tm *local = localtime(when);
    return local ? asctime(local) : 0;
}
