/* pc3-test: mpi ranks=4 args=3,5 */
/* Random traffic (arguments: seed, rounds) whose result no timing can change: every rank draws the same plan,
 * so each knows which message each receive with a known source must get; receives from any source
 * have a communicator to themselves, and their messages are added up. */
#include "mpi_check.h"

enum { MESSAGES = 48, TAGS = 3, LARGE = 20000, NEVER = 77 };

enum send_way { ISEND, ISSEND, IBSEND, SEND_INIT, STRIDED, GIVEN_UP, SEND_WAYS };
enum recv_way { IRECV, RECV_INIT, STRIDED_RECV, PENDING, RECV = PENDING, PROBE, IPROBE, MPROBE, IMPROBE, TRUNCATED, RECV_WAYS };

struct message {
    int from, to, tag, ints, taken;
    enum send_way way;
};

struct receive {
    int source, tag, message; /* -1: any */
    enum recv_way way;
};

static unsigned drawn;

static int draw(int n)
{
    drawn ^= drawn << 13;
    drawn ^= drawn >> 17;
    drawn ^= drawn << 5;
    return (int)((drawn >> 4) % (unsigned)n);
}

static int word(const struct message *m, int id, int i)
{
    return (m->from * 31 + id) * 65537 + i * 257 + m->tag;
}

static void wrong(const char *what, int id)
{
    printf("wrong: %s of %d\n", what, id);
    fflush(stdout);
    MPI_Abort(MPI_COMM_WORLD, 3);
}

static int *room(int ints)
{
    int *p = calloc((size_t)ints + 1, sizeof *p);
    if (!p)
        MPI_Abort(MPI_COMM_WORLD, 1);
    return p;
}

static int size_of_message(void)
{
    switch (draw(8)) {
    case 0:
        return 0;
    case 1:
        return draw(LARGE);
    case 2:
        return draw(300);
    default:
        return draw(12);
    }
}

/* Every other int of a buffer. */
static MPI_Datatype strided(int ints)
{
    MPI_Datatype t;
    MPI_Type_vector(ints, 1, 2, MPI_INT, &t);
    MPI_Type_commit(&t);
    return t;
}

/* One rank's sends or receives of a round. */
struct pending {
    MPI_Request request[MESSAGES];
    int *data[MESSAGES], id[MESSAGES], stride[MESSAGES];
    int n;
};

static void start_send(struct pending *p, const struct message *m, int id, MPI_Comm comm)
{
    int k = p->n++, stride = m->way == STRIDED ? 2 : 1;
    int *data = p->data[k] = room(m->ints * stride);
    MPI_Request *r = &p->request[k];
    for (int i = 0; i < m->ints; i++)
        data[i * stride] = word(m, id, i);
    if (m->way == ISSEND) {
        MPI_Issend(data, m->ints, MPI_INT, m->to, m->tag, comm, r);
    } else if (m->way == IBSEND && m->ints < 300) {
        MPI_Ibsend(data, m->ints, MPI_INT, m->to, m->tag, comm, r);
    } else if (m->way == SEND_INIT) {
        MPI_Send_init(data, m->ints, MPI_INT, m->to, m->tag, comm, r);
        MPI_Start(r);
    } else if (m->way == STRIDED) {
        MPI_Datatype t = strided(m->ints);
        MPI_Isend(data, 1, t, m->to, m->tag, comm, r);
        MPI_Type_free(&t);
    } else {
        MPI_Isend(data, m->ints, MPI_INT, m->to, m->tag, comm, r);
        if (m->way == GIVEN_UP)
            MPI_Request_free(r);
    }
}

/* What arrived: into the sum, and compared where it is known. */
static unsigned look(const struct message *all, int id, const int *data, int stride, const MPI_Status *s)
{
    int n;
    unsigned sum = (unsigned)s->MPI_TAG;
    MPI_Get_count(s, MPI_INT, &n);
    for (int i = 0; i < n; i++)
        sum = sum * 31 + (unsigned)data[i * stride];
    if (id >= 0) {
        const struct message *m = &all[id];
        if (s->MPI_SOURCE != m->from || s->MPI_TAG != m->tag || n != m->ints)
            wrong("status", id);
        for (int i = 0; i < n; i++)
            if (data[i * stride] != word(m, id, i))
                wrong("data", id);
    }
    return sum;
}

static void start_receive(struct pending *p, const struct receive *w, MPI_Comm comm)
{
    int k = p->n++, stride = p->stride[k] = w->way == STRIDED_RECV ? 2 : 1;
    int *data = p->data[k] = room(LARGE * stride);
    p->id[k] = w->message;
    if (w->way == RECV_INIT) {
        MPI_Recv_init(data, LARGE, MPI_INT, w->source, w->tag, comm, &p->request[k]);
        MPI_Start(&p->request[k]);
    } else if (w->way == STRIDED_RECV) {
        MPI_Datatype t = strided(1), one;
        MPI_Type_create_resized(t, 0, 2 * (MPI_Aint)sizeof(int), &one);
        MPI_Type_commit(&one);
        MPI_Irecv(data, LARGE, one, w->source, w->tag, comm, &p->request[k]);
        MPI_Type_free(&one);
        MPI_Type_free(&t);
    } else {
        MPI_Irecv(data, LARGE, MPI_INT, w->source, w->tag, comm, &p->request[k]);
    }
}

static unsigned receive_now(const struct message *all, const struct receive *w, MPI_Comm comm)
{
    static int data[LARGE];
    MPI_Status s, seen;
    MPI_Message message;
    int flag = 0, n;
    if (w->way == TRUNCATED && w->message >= 0 && all[w->message].ints > 0) {
        int code = MPI_Recv(data, all[w->message].ints - 1, MPI_INT, w->source, w->tag, comm, &s), class;
        MPI_Error_class(code, &class);
        if (class != MPI_ERR_TRUNCATE)
            wrong("truncation", w->message);
        return 5;
    }
    if (w->way == MPROBE || w->way == IMPROBE) {
        if (w->way == MPROBE)
            MPI_Mprobe(w->source, w->tag, comm, &message, &seen);
        while (w->way == IMPROBE && !flag)
            MPI_Improbe(w->source, w->tag, comm, &flag, &message, &seen);
        MPI_Get_count(&seen, MPI_INT, &n);
        if (w->way == MPROBE) {
            MPI_Mrecv(data, n, MPI_INT, &message, &s);
        } else {
            MPI_Request r;
            MPI_Imrecv(data, n, MPI_INT, &message, &r);
            MPI_Wait(&r, &s);
        }
    } else if (w->way == PROBE || w->way == IPROBE) {
        if (w->way == PROBE)
            MPI_Probe(w->source, w->tag, comm, &seen);
        while (w->way == IPROBE && !flag)
            MPI_Iprobe(w->source, w->tag, comm, &flag, &seen);
        MPI_Get_count(&seen, MPI_INT, &n);
        MPI_Recv(data, n, MPI_INT, seen.MPI_SOURCE, seen.MPI_TAG, comm, &s);
    } else {
        MPI_Recv(data, LARGE, MPI_INT, w->source, w->tag, comm, &s);
    }
    return look(all, w->message, data, 1, &s);
}

/* Completes the receives in some way; persistent ones are freed. */
static unsigned complete(const struct message *all, struct pending *p, int how)
{
    MPI_Status s[MESSAGES];
    int which[MESSAGES], some, flag = 0;
    unsigned sum = 0;
    for (int left = p->n; left > 0; left -= some) {
        some = 1;
        if (how == 0) {
            MPI_Waitall(p->n, p->request, s);
            some = p->n;
        } else if (how == 1) {
            while (!flag)
                MPI_Testall(p->n, p->request, &flag, s);
            some = p->n;
        } else if (how == 2) {
            MPI_Waitany(p->n, p->request, which, s);
        } else if (how == 3) {
            for (flag = 0; !flag;)
                MPI_Testany(p->n, p->request, which, &flag, s);
        } else if (how == 4) {
            MPI_Waitsome(p->n, p->request, &some, which, s);
        } else if (how == 5) {
            MPI_Testsome(p->n, p->request, &some, which, s);
        } else {
            which[0] = left - 1;
            MPI_Wait(&p->request[left - 1], s);
        }
        for (int i = 0; i < some; i++) {
            int k = how < 2 ? i : which[i];
            sum += look(all, p->id[k], p->data[k], p->stride[k], &s[i]);
        }
    }
    for (int k = 0; k < p->n; k++) {
        if (p->request[k] != MPI_REQUEST_NULL)
            MPI_Request_free(&p->request[k]);
        free(p->data[k]);
    }
    return sum;
}

/* The receives of rank `to`, each with the message it gets if that is certain; returns their number. */
static int plan(struct receive *out, struct message *all, int n, int to, int wild)
{
    int count = 0, any = draw(2), early = draw(MESSAGES / 4);
    for (;;) {
        int open = 0, pick = -1;
        for (int i = 0; i < n; i++)
            if (all[i].to == to && !all[i].taken && draw(++open) == 0)
                pick = i;
        if (pick < 0)
            return count;
        struct receive *w = &out[count];
        w->source = wild ? MPI_ANY_SOURCE : all[pick].from;
        w->tag = (wild ? any : draw(3) == 0) ? MPI_ANY_TAG : all[pick].tag;
        w->way = (enum recv_way)(count < early ? draw(PENDING) : draw(RECV_WAYS));
        for (int i = 0; i <= pick; i++)
            if (all[i].to == to && !all[i].taken && all[i].from == all[pick].from &&
                (wild ? i == pick : w->tag == MPI_ANY_TAG || all[i].tag == w->tag)) {
                pick = i;
                break;
            }
        all[pick].taken = 1;
        w->message = wild ? -1 : pick;
        count++;
    }
}

static void one_round(int rank, int ranks, MPI_Comm exact, MPI_Comm any)
{
    struct message all[MESSAGES];
    struct receive mine[MESSAGES], other[MESSAGES];
    struct pending sends, receives;
    int wild = draw(3) == 0, n = 1 + draw(MESSAGES), count = 0, how = draw(7), at = 0;
    MPI_Comm comm = wild ? any : exact;
    unsigned sum = 0;
    memset(&sends, 0, sizeof sends);
    memset(&receives, 0, sizeof receives);
    for (int i = 0; i < n; i++) {
        struct message m = {draw(ranks), draw(ranks), draw(TAGS), size_of_message(), 0, (enum send_way)draw(SEND_WAYS)};
        all[i] = m;
    }
    for (int r = 0; r < ranks; r++) {
        int k = plan(r == rank ? mine : other, all, n, r, wild);
        if (r == rank)
            count = k;
    }
    while (at < count && mine[at].way < PENDING)
        start_receive(&receives, &mine[at++], comm);
    for (int i = 0; i < n; i++)
        if (all[i].from == rank)
            start_send(&sends, &all[i], i, comm);
#pragma pc3 checkpoint
    for (int half = 0; half < 2; half++) {
        for (; at < (half ? count : count / 2); at++)
            if (mine[at].way < PENDING)
                start_receive(&receives, &mine[at], comm);
            else
                sum += receive_now(all, &mine[at], comm);
#pragma pc3 checkpoint
    }
    MPI_Request never;
    MPI_Status status;
    int cancelled, token = rank, got = -1;
    MPI_Irecv(&got, 1, MPI_INT, rank, NEVER, exact, &never);
    MPI_Sendrecv(&rank, 1, MPI_INT, (rank + 1) % ranks, 9, &token, 1, MPI_INT, (rank + ranks - 1) % ranks, 9,
                 MPI_COMM_WORLD, &status);
    MPI_Cancel(&never);
    MPI_Wait(&never, &status);
    MPI_Test_cancelled(&status, &cancelled);
    sum += complete(all, &receives, how);
    MPI_Waitall(sends.n, sends.request, MPI_STATUSES_IGNORE);
    MPI_Barrier(MPI_COMM_WORLD);
    for (int k = 0; k < sends.n; k++) {
        if (sends.request[k] != MPI_REQUEST_NULL)
            MPI_Request_free(&sends.request[k]);
        free(sends.data[k]);
    }
    show_all("round", (int)(sum % 1000003) * 100 + token * 10 + cancelled);
}

int main(int argc, char **argv)
{
    int rank, ranks, rounds;
    MPI_Comm exact, any;
    MPI_Init(&argc, &argv);
    MPI_Comm_rank(MPI_COMM_WORLD, &rank);
    MPI_Comm_size(MPI_COMM_WORLD, &ranks);
    MPI_Comm_dup(MPI_COMM_WORLD, &exact);
    MPI_Comm_dup(MPI_COMM_WORLD, &any);
    MPI_Comm_set_errhandler(exact, MPI_ERRORS_RETURN);
    drawn = 2463534242u + 7919u * (unsigned)(argc > 1 ? atoi(argv[1]) : 1);
    rounds = argc > 2 ? atoi(argv[2]) : 5;
    int size = MESSAGES * (300 * (int)sizeof(int) + MPI_BSEND_OVERHEAD);
    char *buffer = malloc((size_t)size);
    if (!buffer)
        MPI_Abort(MPI_COMM_WORLD, 1);
    memset(buffer, 0, (size_t)size);
    MPI_Buffer_attach(buffer, size);
    for (int i = 0; i < rounds; i++) {
        one_round(rank, ranks, exact, any);
#pragma pc3 checkpoint
    }
    MPI_Buffer_detach(&buffer, &size);
    free(buffer);
    MPI_Comm_free(&exact);
    MPI_Comm_free(&any);
    return mpi_finish();
}
