/* getpwnam and its like, whose results are memory of the program: each function has its own. */

typedef __typeof__(sizeof 0) size;

size strlen(const char *);
char *strcpy(char *, const char *);
void *malloc(size);
void free(void *);

struct pc3_account {
    char *pw_name, *pw_passwd;
    unsigned pw_uid, pw_gid;
    char *pw_gecos, *pw_dir, *pw_shell;
};

struct pc3_group {
    char *gr_name, *gr_passwd;
    unsigned gr_gid;
    char **gr_mem;
};

struct pc3_account *account_named(const char *) __asm__("getpwnam");
struct pc3_account *account_of(unsigned) __asm__("getpwuid");
struct pc3_group *group_named(const char *) __asm__("getgrnam");
struct pc3_group *group_of(unsigned) __asm__("getgrgid");

struct pc3_account *getpwnam(const char *) __asm__("pc3_getpwnam");
struct pc3_account *getpwuid(unsigned) __asm__("pc3_getpwuid");
struct pc3_group *getgrnam(const char *) __asm__("pc3_getgrnam");
struct pc3_group *getgrgid(unsigned) __asm__("pc3_getgrgid");

static struct pc3_account account_by_name, account_by_number;
static struct pc3_group group_by_name, group_by_number;

static void keep(char **place, const char *text)
{
    free(*place);
    *place = text ? (char *)malloc(strlen(text) + 1) : 0;
    if (*place)
        strcpy(*place, text);
}

static struct pc3_account *kept(struct pc3_account *account, const struct pc3_account *now)
{
    if (!now)
        return 0;
    keep(&account->pw_name, now->pw_name);
    keep(&account->pw_passwd, now->pw_passwd);
    keep(&account->pw_gecos, now->pw_gecos);
    keep(&account->pw_dir, now->pw_dir);
    keep(&account->pw_shell, now->pw_shell);
    account->pw_uid = now->pw_uid;
    account->pw_gid = now->pw_gid;
    return account;
}

static struct pc3_group *kept_group(struct pc3_group *group, const struct pc3_group *now)
{
    int n = 0, i;
    if (!now)
        return 0;
    keep(&group->gr_name, now->gr_name);
    keep(&group->gr_passwd, now->gr_passwd);
    group->gr_gid = now->gr_gid;
    for (i = 0; group->gr_mem && group->gr_mem[i]; i++)
        free(group->gr_mem[i]);
    free(group->gr_mem);
    while (now->gr_mem[n])
        n++;
    group->gr_mem = (char **)malloc((size)(n + 1) * sizeof(char *));
    if (!group->gr_mem)
        return 0;
    for (i = 0; i <= n; i++) {
        group->gr_mem[i] = 0;
        keep(&group->gr_mem[i], now->gr_mem[i]);
    }
    return group;
}

struct pc3_account *getpwnam(const char *name)
{
    return kept(&account_by_name, account_named(name));
}

struct pc3_account *getpwuid(unsigned id)
{
    return kept(&account_by_number, account_of(id));
}

struct pc3_group *getgrnam(const char *name)
{
    return kept_group(&group_by_name, group_named(name));
}

struct pc3_group *getgrgid(unsigned id)
{
    return kept_group(&group_by_number, group_of(id));
}
