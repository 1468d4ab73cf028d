// pc3cc: --warnings=all
/* What a restart does not have, or no checkpoint can hold. */
#define _GNU_SOURCE
#include <aio.h>
#include <dirent.h>
#include <fmtmsg.h>
#include <glob.h>
#include <grp.h>
#include <netdb.h>
#include <pthread.h>
#include <pwd.h>
#include <resolv.h>
#include <sched.h>
#include <shadow.h>
#include <stdio.h>
#include <sys/fsuid.h>
#include <sys/mman.h>
#include <sys/msg.h>
#include <sys/personality.h>
#include <sys/prctl.h>
#include <sys/sem.h>
#include <sys/shm.h>
#include <termios.h>
#include <unistd.h>
#include <utmp.h>

int main(void)
{
    cpu_set_t set;
    struct sched_param how = {0};
    struct termios terminal;
    struct spwd one, *found;
    struct dirent **list;
    struct aiocb request = {0};
    glob64_t names;
    char text[100];
    CPU_ZERO(&set);
    sched_setaffinity(0, sizeof set, &set);
    sched_setscheduler(0, SCHED_OTHER, &how);
    sched_setparam(0, &how);
    prctl(PR_SET_NAME, "name");
    personality(0xffffffff);
    setsid();
    daemon(1, 1);
    unshare(CLONE_FS);
    setgroups(0, NULL);
    setfsuid(0);
    tcsetattr(0, TCSANOW, &terminal);
    lio_listio(LIO_NOWAIT, NULL, 0, NULL);
    aio_read(&request);
    pkey_mprotect(text, 1, 0, 0);
    shmget(1, 1, 0);
    semget(1, 1, 0);
    msgget(1, 0);
    getspnam("root");
    getspent_r(&one, text, sizeof text, &found);
    setnetgrent("group");
    utmpname("users");
    addseverity(7, "text");
    res_init();
    glob64("*", 0, NULL, &names);
    scandirat(-100, ".", &list, NULL, NULL);
    pthread_setconcurrency(2);
    fork();
    cuserid(text);
#pragma pc3 checkpoint
    return 0;
}
