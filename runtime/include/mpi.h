/* MPI as pc3 offers it: the C interface of MPI 3.1, and some of MPI 4 and 5, without what is missing below, with the handle
 * types and constant values of the standard ABI of MPI 5.0.
 *
 * Only what exists is declared: a program that needs more fails to compile, by name.
 * Handles are tokens, never addresses; they keep their values across a restart.
 */
#ifndef PC3_MPI_H
#define PC3_MPI_H

#include <stdint.h>

#ifdef __cplusplus
extern "C" {
#endif

#define MPI_VERSION 3
#define MPI_SUBVERSION 1
#define MPI_ABI_VERSION 1
#define MPI_ABI_SUBVERSION 0

typedef intptr_t MPI_Aint;
typedef int64_t MPI_Offset;
typedef int64_t MPI_Count;
typedef int MPI_Fint;

typedef struct MPI_Status {
    int MPI_SOURCE;
    int MPI_TAG;
    int MPI_ERROR;
    int MPI_internal[5];
} MPI_Status;
typedef MPI_Status MPI_F08_status;

typedef struct MPI_ABI_Comm *MPI_Comm;
typedef struct MPI_ABI_Group *MPI_Group;
typedef struct MPI_ABI_Datatype *MPI_Datatype;
typedef struct MPI_ABI_Op *MPI_Op;
typedef struct MPI_ABI_Request *MPI_Request;
typedef struct MPI_ABI_Message *MPI_Message;
typedef struct MPI_ABI_Errhandler *MPI_Errhandler;
typedef struct MPI_ABI_Info *MPI_Info;
typedef struct MPI_ABI_File *MPI_File;
typedef struct MPI_ABI_Win *MPI_Win;
typedef struct MPI_ABI_Session *MPI_Session;

/* ---- predefined handles ---- */

#define MPI_COMM_NULL                ((MPI_Comm)0x100)
#define MPI_COMM_WORLD               ((MPI_Comm)0x101)
#define MPI_COMM_SELF                ((MPI_Comm)0x102)

#define MPI_GROUP_NULL               ((MPI_Group)0x108)
#define MPI_GROUP_EMPTY              ((MPI_Group)0x109)

#define MPI_MESSAGE_NULL             ((MPI_Message)0x128)
#define MPI_MESSAGE_NO_PROC          ((MPI_Message)0x129)

#define MPI_FILE_NULL                ((MPI_File)0x118)

#define MPI_WIN_NULL                 ((MPI_Win)0x110)
#define MPI_SESSION_NULL             ((MPI_Session)0x120)

#define MPI_INFO_NULL                ((MPI_Info)0x130)
#define MPI_INFO_ENV                 ((MPI_Info)0x131)

#define MPI_ERRHANDLER_NULL          ((MPI_Errhandler)0x140)
#define MPI_ERRORS_ARE_FATAL         ((MPI_Errhandler)0x141)
#define MPI_ERRORS_ABORT             ((MPI_Errhandler)0x142)
#define MPI_ERRORS_RETURN            ((MPI_Errhandler)0x143)

#define MPI_REQUEST_NULL             ((MPI_Request)0x180)

#define MPI_OP_NULL                  ((MPI_Op)0x020)
#define MPI_SUM                      ((MPI_Op)0x021)
#define MPI_MIN                      ((MPI_Op)0x022)
#define MPI_MAX                      ((MPI_Op)0x023)
#define MPI_PROD                     ((MPI_Op)0x024)
#define MPI_BAND                     ((MPI_Op)0x028)
#define MPI_BOR                      ((MPI_Op)0x029)
#define MPI_BXOR                     ((MPI_Op)0x02a)
#define MPI_LAND                     ((MPI_Op)0x030)
#define MPI_LOR                      ((MPI_Op)0x031)
#define MPI_LXOR                     ((MPI_Op)0x032)
#define MPI_MINLOC                   ((MPI_Op)0x038)
#define MPI_MAXLOC                   ((MPI_Op)0x039)
#define MPI_REPLACE                  ((MPI_Op)0x03c)
#define MPI_NO_OP                    ((MPI_Op)0x03d)

#define MPI_DATATYPE_NULL            ((MPI_Datatype)0x200)
#define MPI_AINT                     ((MPI_Datatype)0x201)
#define MPI_COUNT                    ((MPI_Datatype)0x202)
#define MPI_OFFSET                   ((MPI_Datatype)0x203)
#define MPI_PACKED                   ((MPI_Datatype)0x207)
#define MPI_SHORT                    ((MPI_Datatype)0x208)
#define MPI_INT                      ((MPI_Datatype)0x209)
#define MPI_LONG                     ((MPI_Datatype)0x20a)
#define MPI_LONG_LONG                ((MPI_Datatype)0x20b)
#define MPI_UNSIGNED_SHORT           ((MPI_Datatype)0x20c)
#define MPI_UNSIGNED                 ((MPI_Datatype)0x20d)
#define MPI_UNSIGNED_LONG            ((MPI_Datatype)0x20e)
#define MPI_UNSIGNED_LONG_LONG       ((MPI_Datatype)0x20f)
#define MPI_FLOAT                    ((MPI_Datatype)0x210)
#define MPI_C_FLOAT_COMPLEX          ((MPI_Datatype)0x212)
#define MPI_CXX_FLOAT_COMPLEX        ((MPI_Datatype)0x213)
#define MPI_DOUBLE                   ((MPI_Datatype)0x214)
#define MPI_C_DOUBLE_COMPLEX         ((MPI_Datatype)0x216)
#define MPI_CXX_DOUBLE_COMPLEX       ((MPI_Datatype)0x217)
#define MPI_LOGICAL                  ((MPI_Datatype)0x218)
#define MPI_INTEGER                  ((MPI_Datatype)0x219)
#define MPI_REAL                     ((MPI_Datatype)0x21a)
#define MPI_COMPLEX                  ((MPI_Datatype)0x21b)
#define MPI_DOUBLE_PRECISION         ((MPI_Datatype)0x21c)
#define MPI_DOUBLE_COMPLEX           ((MPI_Datatype)0x21d)
#define MPI_CHARACTER                ((MPI_Datatype)0x21e)
#define MPI_LONG_DOUBLE              ((MPI_Datatype)0x220)
#define MPI_C_LONG_DOUBLE_COMPLEX    ((MPI_Datatype)0x224)
#define MPI_CXX_LONG_DOUBLE_COMPLEX  ((MPI_Datatype)0x225)
#define MPI_FLOAT_INT                ((MPI_Datatype)0x228)
#define MPI_DOUBLE_INT               ((MPI_Datatype)0x229)
#define MPI_LONG_INT                 ((MPI_Datatype)0x22a)
#define MPI_2INT                     ((MPI_Datatype)0x22b)
#define MPI_SHORT_INT                ((MPI_Datatype)0x22c)
#define MPI_LONG_DOUBLE_INT          ((MPI_Datatype)0x22d)
#define MPI_2REAL                    ((MPI_Datatype)0x230)
#define MPI_2DOUBLE_PRECISION        ((MPI_Datatype)0x231)
#define MPI_2INTEGER                 ((MPI_Datatype)0x232)
#define MPI_C_BOOL                   ((MPI_Datatype)0x238)
#define MPI_CXX_BOOL                 ((MPI_Datatype)0x239)
#define MPI_WCHAR                    ((MPI_Datatype)0x23c)
#define MPI_INT8_T                   ((MPI_Datatype)0x240)
#define MPI_UINT8_T                  ((MPI_Datatype)0x241)
#define MPI_CHAR                     ((MPI_Datatype)0x243)
#define MPI_SIGNED_CHAR              ((MPI_Datatype)0x244)
#define MPI_UNSIGNED_CHAR            ((MPI_Datatype)0x245)
#define MPI_BYTE                     ((MPI_Datatype)0x247)
#define MPI_INT16_T                  ((MPI_Datatype)0x248)
#define MPI_UINT16_T                 ((MPI_Datatype)0x249)
#define MPI_INT32_T                  ((MPI_Datatype)0x250)
#define MPI_UINT32_T                 ((MPI_Datatype)0x251)
#define MPI_INT64_T                  ((MPI_Datatype)0x258)
#define MPI_UINT64_T                 ((MPI_Datatype)0x259)
#define MPI_LOGICAL1                 ((MPI_Datatype)0x2c0)
#define MPI_INTEGER1                 ((MPI_Datatype)0x2c1)
#define MPI_LOGICAL2                 ((MPI_Datatype)0x2c8)
#define MPI_INTEGER2                 ((MPI_Datatype)0x2c9)
#define MPI_LOGICAL4                 ((MPI_Datatype)0x2d0)
#define MPI_INTEGER4                 ((MPI_Datatype)0x2d1)
#define MPI_REAL4                    ((MPI_Datatype)0x2d2)
#define MPI_LOGICAL8                 ((MPI_Datatype)0x2d8)
#define MPI_INTEGER8                 ((MPI_Datatype)0x2d9)
#define MPI_REAL8                    ((MPI_Datatype)0x2da)
#define MPI_COMPLEX8                 ((MPI_Datatype)0x2db)
#define MPI_COMPLEX16                ((MPI_Datatype)0x2e3)
/* Optional ones, which no compiler for C has to have: the library does not know them. */
#define MPI_REAL2                    ((MPI_Datatype)0x2ca)
#define MPI_COMPLEX4                 ((MPI_Datatype)0x2d3)
#define MPI_LOGICAL16                ((MPI_Datatype)0x2e0)
#define MPI_INTEGER16                ((MPI_Datatype)0x2e1)
#define MPI_REAL16                   ((MPI_Datatype)0x2e2)
#define MPI_COMPLEX32                ((MPI_Datatype)0x2eb)
#define MPI_LONG_LONG_INT            MPI_LONG_LONG
#define MPI_C_COMPLEX                MPI_C_FLOAT_COMPLEX

/* ---- error classes ---- */

#define MPI_SUCCESS                  0
#define MPI_ERR_BUFFER               1
#define MPI_ERR_COUNT                2
#define MPI_ERR_TYPE                 3
#define MPI_ERR_TAG                  4
#define MPI_ERR_COMM                 5
#define MPI_ERR_RANK                 6
#define MPI_ERR_REQUEST              7
#define MPI_ERR_ROOT                 8
#define MPI_ERR_GROUP                9
#define MPI_ERR_OP                   10
#define MPI_ERR_TOPOLOGY             11
#define MPI_ERR_DIMS                 12
#define MPI_ERR_ARG                  13
#define MPI_ERR_UNKNOWN              14
#define MPI_ERR_TRUNCATE             15
#define MPI_ERR_OTHER                16
#define MPI_ERR_INTERN               17
#define MPI_ERR_PENDING              18
#define MPI_ERR_IN_STATUS            19
#define MPI_ERR_ACCESS               20
#define MPI_ERR_AMODE                21
#define MPI_ERR_ASSERT               22
#define MPI_ERR_BAD_FILE             23
#define MPI_ERR_BASE                 24
#define MPI_ERR_CONVERSION           25
#define MPI_ERR_DISP                 26
#define MPI_ERR_DUP_DATAREP          27
#define MPI_ERR_FILE_EXISTS          28
#define MPI_ERR_FILE_IN_USE          29
#define MPI_ERR_FILE                 30
#define MPI_ERR_INFO_KEY             31
#define MPI_ERR_INFO_NOKEY           32
#define MPI_ERR_INFO_VALUE           33
#define MPI_ERR_INFO                 34
#define MPI_ERR_IO                   35
#define MPI_ERR_KEYVAL               36
#define MPI_ERR_LOCKTYPE             37
#define MPI_ERR_NAME                 38
#define MPI_ERR_NO_MEM               39
#define MPI_ERR_NOT_SAME             40
#define MPI_ERR_NO_SPACE             41
#define MPI_ERR_NO_SUCH_FILE         42
#define MPI_ERR_PORT                 43
#define MPI_ERR_QUOTA                44
#define MPI_ERR_READ_ONLY            45
#define MPI_ERR_RMA_ATTACH           46
#define MPI_ERR_RMA_CONFLICT         47
#define MPI_ERR_RMA_RANGE            48
#define MPI_ERR_RMA_SHARED           49
#define MPI_ERR_RMA_SYNC             50
#define MPI_ERR_SERVICE              51
#define MPI_ERR_SIZE                 52
#define MPI_ERR_SPAWN                53
#define MPI_ERR_UNSUPPORTED_DATAREP  54
#define MPI_ERR_UNSUPPORTED_OPERATION 55
#define MPI_ERR_WIN                  56
#define MPI_ERR_RMA_FLAVOR           57
#define MPI_ERR_PROC_ABORTED         58
#define MPI_ERR_VALUE_TOO_LARGE      59
#define MPI_ERR_SESSION              60
#define MPI_ERR_ERRHANDLER           61
#define MPI_ERR_ABI                  62
#define MPI_ERR_LASTCODE             16383

/* ---- special values ---- */

#define MPI_BOTTOM                   ((void *)0)
#define MPI_IN_PLACE                 ((void *)1)
#define MPI_BUFFER_AUTOMATIC         ((void *)2)
#define MPI_STATUS_IGNORE            ((MPI_Status *)0)
#define MPI_STATUSES_IGNORE          ((MPI_Status *)0)

#define MPI_UNWEIGHTED               ((int *)10)
#define MPI_ARGV_NULL                ((char **)0)
#define MPI_ARGVS_NULL               ((char ***)0)
#define MPI_ERRCODES_IGNORE          ((int *)0)
#define MPI_WEIGHTS_EMPTY            ((int *)11)

#define MPI_ANY_SOURCE               (-1)
#define MPI_ANY_TAG                  (-2)
#define MPI_PROC_NULL                (-3)
#define MPI_ROOT                     (-4)
#define MPI_UNDEFINED                (-32766)
#define MPI_MAX_ERROR_STRING         512
#define MPI_MAX_OBJECT_NAME          128
#define MPI_MAX_PROCESSOR_NAME       256
#define MPI_MAX_LIBRARY_VERSION_STRING 8192
#define MPI_MAX_INFO_KEY             256
#define MPI_MAX_INFO_VAL             1024
#define MPI_MAX_PORT_NAME            1024
#define MPI_BSEND_OVERHEAD           512
#define MPI_MAX_STRINGTAG_LEN        1024
#define MPI_MAX_PSET_NAME_LEN        1024
#define MPI_THREAD_SINGLE            0
#define MPI_THREAD_FUNNELED          1024
#define MPI_THREAD_SERIALIZED        2048
#define MPI_THREAD_MULTIPLE          4096
#define MPI_ORDER_C                  12
#define MPI_ORDER_FORTRAN            15
#define MPI_DISTRIBUTE_NONE          16
#define MPI_DISTRIBUTE_BLOCK         17
#define MPI_DISTRIBUTE_CYCLIC        18
#define MPI_DISTRIBUTE_DFLT_DARG     19
#define MPI_COMBINER_NAMED           101
#define MPI_COMBINER_DUP             102
#define MPI_COMBINER_CONTIGUOUS      103
#define MPI_COMBINER_VECTOR          104
#define MPI_COMBINER_HVECTOR         105
#define MPI_COMBINER_INDEXED         106
#define MPI_COMBINER_HINDEXED        107
#define MPI_COMBINER_INDEXED_BLOCK   108
#define MPI_COMBINER_HINDEXED_BLOCK  109
#define MPI_COMBINER_STRUCT          110
#define MPI_COMBINER_SUBARRAY        111
#define MPI_COMBINER_DARRAY          112
#define MPI_COMBINER_F90_REAL        113
#define MPI_COMBINER_F90_COMPLEX     114
#define MPI_COMBINER_F90_INTEGER     115
#define MPI_COMBINER_RESIZED         116
#define MPI_COMBINER_VALUE_INDEX     117
#define MPI_TYPECLASS_INTEGER        192
#define MPI_TYPECLASS_REAL           193
#define MPI_TYPECLASS_COMPLEX        194
#define MPI_IDENT                    201
#define MPI_CONGRUENT                202
#define MPI_SIMILAR                  203
#define MPI_UNEQUAL                  204
#define MPI_CART                     211
#define MPI_GRAPH                    212
#define MPI_DIST_GRAPH               213
#define MPI_COMM_TYPE_SHARED         221
#define MPI_COMM_TYPE_HW_UNGUIDED    222
#define MPI_COMM_TYPE_HW_GUIDED      223
#define MPI_COMM_TYPE_RESOURCE_GUIDED 224
#define MPI_MODE_APPEND              1
#define MPI_MODE_CREATE              2
#define MPI_MODE_DELETE_ON_CLOSE     4
#define MPI_MODE_EXCL                8
#define MPI_MODE_RDONLY              16
#define MPI_MODE_RDWR                32
#define MPI_MODE_SEQUENTIAL          64
#define MPI_MODE_UNIQUE_OPEN         128
#define MPI_MODE_WRONLY              256
#define MPI_SEEK_SET                 600
#define MPI_SEEK_CUR                 602
#define MPI_SEEK_END                 604
#define MPI_DISPLACEMENT_CURRENT     ((MPI_Offset)-1)
#define MPI_MAX_DATAREP_STRING       128
#define MPI_KEYVAL_INVALID           0
#define MPI_TAG_UB                   501
#define MPI_IO                       502
#define MPI_HOST                     503
#define MPI_WTIME_IS_GLOBAL          504
#define MPI_APPNUM                   505
#define MPI_LASTUSEDCODE             506
#define MPI_UNIVERSE_SIZE            507
#define MPI_WIN_BASE                 601
#define MPI_WIN_DISP_UNIT            602
#define MPI_WIN_SIZE                 603
#define MPI_WIN_CREATE_FLAVOR        604
#define MPI_WIN_MODEL                605
#define MPI_LOCK_EXCLUSIVE           301
#define MPI_LOCK_SHARED              302
#define MPI_WIN_FLAVOR_CREATE        311
#define MPI_WIN_FLAVOR_ALLOCATE      312
#define MPI_WIN_FLAVOR_DYNAMIC       313
#define MPI_WIN_FLAVOR_SHARED        314
#define MPI_WIN_UNIFIED              321
#define MPI_WIN_SEPARATE             322
#define MPI_MODE_NOCHECK             1024
#define MPI_MODE_NOPRECEDE           2048
#define MPI_MODE_NOPUT               4096
#define MPI_MODE_NOSTORE             8192
#define MPI_MODE_NOSUCCEED           16384

/* ---- callbacks ---- */

typedef void(MPI_User_function)(void *in, void *inout, int *len, MPI_Datatype *type);
typedef void(MPI_User_function_c)(void *in, void *inout, MPI_Count *len, MPI_Datatype *type);
typedef int(MPI_Comm_copy_attr_function)(MPI_Comm, int keyval, void *extra, void *in, void *out, int *flag);
typedef int(MPI_Comm_delete_attr_function)(MPI_Comm, int keyval, void *value, void *extra);
typedef int(MPI_Type_copy_attr_function)(MPI_Datatype, int keyval, void *extra, void *in, void *out, int *flag);
typedef int(MPI_Type_delete_attr_function)(MPI_Datatype, int keyval, void *value, void *extra);
typedef int(MPI_Win_copy_attr_function)(MPI_Win, int keyval, void *extra, void *in, void *out, int *flag);
typedef int(MPI_Win_delete_attr_function)(MPI_Win, int keyval, void *value, void *extra);
typedef void(MPI_Comm_errhandler_function)(MPI_Comm *, int *code, ...);
typedef void(MPI_File_errhandler_function)(MPI_File *, int *code, ...);
typedef void(MPI_Win_errhandler_function)(MPI_Win *, int *code, ...);
typedef void(MPI_Session_errhandler_function)(MPI_Session *, int *code, ...);
typedef MPI_Comm_errhandler_function MPI_Comm_errhandler_fn;
typedef MPI_File_errhandler_function MPI_File_errhandler_fn;
typedef MPI_Win_errhandler_function MPI_Win_errhandler_fn;
typedef MPI_Session_errhandler_function MPI_Session_errhandler_fn;
typedef int(MPI_Datarep_conversion_function)(void *userbuf, MPI_Datatype type, int count, void *filebuf, MPI_Offset position,
    void *extra_state);
typedef int(MPI_Datarep_conversion_function_c)(void *userbuf, MPI_Datatype type, MPI_Count count, void *filebuf, MPI_Offset
    position, void *extra_state);
typedef int(MPI_Datarep_extent_function)(MPI_Datatype type, MPI_Aint *extent, void *extra_state);
typedef MPI_Comm_errhandler_function MPI_Handler_function;
typedef MPI_Comm_copy_attr_function MPI_Copy_function;
typedef MPI_Comm_delete_attr_function MPI_Delete_function;

typedef int(MPI_Grequest_query_function)(void *extra, MPI_Status *status);
typedef int(MPI_Grequest_free_function)(void *extra);
typedef int(MPI_Grequest_cancel_function)(void *extra, int complete);

#define MPI_COMM_NULL_COPY_FN        ((MPI_Comm_copy_attr_function *)0)
#define MPI_COMM_DUP_FN              ((MPI_Comm_copy_attr_function *)1)
#define MPI_COMM_NULL_DELETE_FN      ((MPI_Comm_delete_attr_function *)0)
#define MPI_TYPE_NULL_COPY_FN        ((MPI_Type_copy_attr_function *)0)
#define MPI_TYPE_DUP_FN              ((MPI_Type_copy_attr_function *)1)
#define MPI_TYPE_NULL_DELETE_FN      ((MPI_Type_delete_attr_function *)0)
#define MPI_WIN_NULL_COPY_FN         ((MPI_Win_copy_attr_function *)0)
#define MPI_WIN_DUP_FN               ((MPI_Win_copy_attr_function *)1)
#define MPI_WIN_NULL_DELETE_FN       ((MPI_Win_delete_attr_function *)0)
#define MPI_NULL_COPY_FN             ((MPI_Copy_function *)0)
#define MPI_DUP_FN                   ((MPI_Copy_function *)1)
#define MPI_NULL_DELETE_FN           ((MPI_Delete_function *)0)
#define MPI_CONVERSION_FN_NULL       ((MPI_Datarep_conversion_function *)0)
#define MPI_CONVERSION_FN_NULL_C     ((MPI_Datarep_conversion_function_c *)0)

double MPI_Wtime(void);
double MPI_Wtick(void);

/* ---- starting, ending, environment (chapter 8) ---- */

int MPI_Init(int *argc, char ***argv);
int MPI_Init_thread(int *argc, char ***argv, int required, int *provided);
int MPI_Initialized(int *flag);
int MPI_Finalize(void);
int MPI_Finalized(int *flag);
int MPI_Query_thread(int *provided);
int MPI_Is_thread_main(int *flag);
int MPI_Abort(MPI_Comm comm, int code);
int MPI_Get_version(int *version, int *subversion);
int MPI_Get_library_version(char *version, int *len);
int MPI_Abi_get_version(int *abi_major, int *abi_minor);
int MPI_Abi_get_info(MPI_Info *info);
int MPI_Abi_get_fortran_info(MPI_Info *info);
int MPI_Abi_get_fortran_booleans(int logical_size, void *logical_true, void *logical_false, int *is_set);
int MPI_Abi_set_fortran_info(MPI_Info info);
int MPI_Abi_set_fortran_booleans(int logical_size, void *logical_true, void *logical_false);
int MPI_Get_processor_name(char *name, int *len);
int MPI_Alloc_mem(MPI_Aint size, MPI_Info info, void *base);
int MPI_Free_mem(void *base);
int MPI_Pcontrol(const int level, ...);
int MPI_Error_class(int code, int *errorclass);
int MPI_Error_string(int code, char *string, int *len);
int MPI_Add_error_class(int *errorclass);
int MPI_Add_error_code(int errorclass, int *code);
int MPI_Add_error_string(int code, const char *string);
int MPI_Remove_error_class(int errorclass);
int MPI_Remove_error_code(int code);
int MPI_Remove_error_string(int code);
int MPI_Comm_create_errhandler(MPI_Comm_errhandler_function *fn, MPI_Errhandler *handler);
int MPI_Comm_set_errhandler(MPI_Comm comm, MPI_Errhandler handler);
int MPI_Comm_get_errhandler(MPI_Comm comm, MPI_Errhandler *handler);
int MPI_Comm_call_errhandler(MPI_Comm comm, int code);
int MPI_Errhandler_free(MPI_Errhandler *handler);
int MPI_Info_create(MPI_Info *info);
int MPI_Info_dup(MPI_Info info, MPI_Info *newinfo);
int MPI_Info_free(MPI_Info *info);
int MPI_Info_set(MPI_Info info, const char *key, const char *value);
int MPI_Info_get(MPI_Info info, const char *key, int valuelen, char *value, int *flag);
int MPI_Info_get_string(MPI_Info info, const char *key, int *buflen, char *value, int *flag);
int MPI_Info_create_env(int argc, char *argv[], MPI_Info *info);
int MPI_Info_get_valuelen(MPI_Info info, const char *key, int *valuelen, int *flag);
int MPI_Info_get_nkeys(MPI_Info info, int *nkeys);
int MPI_Info_get_nthkey(MPI_Info info, int n, char *key);
int MPI_Info_delete(MPI_Info info, const char *key);

/* ---- point-to-point (chapter 3) ---- */

int MPI_Send(const void *buf, int count, MPI_Datatype type, int dest, int tag, MPI_Comm comm);
int MPI_Bsend(const void *buf, int count, MPI_Datatype type, int dest, int tag, MPI_Comm comm);
int MPI_Ssend(const void *buf, int count, MPI_Datatype type, int dest, int tag, MPI_Comm comm);
int MPI_Rsend(const void *buf, int count, MPI_Datatype type, int dest, int tag, MPI_Comm comm);
int MPI_Recv(void *buf, int count, MPI_Datatype type, int source, int tag, MPI_Comm comm, MPI_Status *status);
int MPI_Isend(const void *buf, int count, MPI_Datatype type, int dest, int tag, MPI_Comm comm, MPI_Request *request);
int MPI_Ibsend(const void *buf, int count, MPI_Datatype type, int dest, int tag, MPI_Comm comm, MPI_Request *request);
int MPI_Issend(const void *buf, int count, MPI_Datatype type, int dest, int tag, MPI_Comm comm, MPI_Request *request);
int MPI_Irsend(const void *buf, int count, MPI_Datatype type, int dest, int tag, MPI_Comm comm, MPI_Request *request);
int MPI_Irecv(void *buf, int count, MPI_Datatype type, int source, int tag, MPI_Comm comm, MPI_Request *request);
int MPI_Send_init(const void *buf, int count, MPI_Datatype type, int dest, int tag, MPI_Comm comm, MPI_Request
    *request);
int MPI_Bsend_init(const void *buf, int count, MPI_Datatype type, int dest, int tag, MPI_Comm comm, MPI_Request
    *request);
int MPI_Ssend_init(const void *buf, int count, MPI_Datatype type, int dest, int tag, MPI_Comm comm, MPI_Request
    *request);
int MPI_Rsend_init(const void *buf, int count, MPI_Datatype type, int dest, int tag, MPI_Comm comm, MPI_Request
    *request);
int MPI_Recv_init(void *buf, int count, MPI_Datatype type, int source, int tag, MPI_Comm comm, MPI_Request *request);
int MPI_Start(MPI_Request *request);
int MPI_Startall(int count, MPI_Request requests[]);
int MPI_Wait(MPI_Request *request, MPI_Status *status);
int MPI_Test(MPI_Request *request, int *flag, MPI_Status *status);
int MPI_Waitany(int count, MPI_Request requests[], int *index, MPI_Status *status);
int MPI_Testany(int count, MPI_Request requests[], int *index, int *flag, MPI_Status *status);
int MPI_Waitall(int count, MPI_Request requests[], MPI_Status statuses[]);
int MPI_Testall(int count, MPI_Request requests[], int *flag, MPI_Status statuses[]);
int MPI_Waitsome(int incount, MPI_Request requests[], int *outcount, int indices[], MPI_Status statuses[]);
int MPI_Testsome(int incount, MPI_Request requests[], int *outcount, int indices[], MPI_Status statuses[]);
int MPI_Request_free(MPI_Request *request);
int MPI_Request_get_status(MPI_Request request, int *flag, MPI_Status *status);
int MPI_Request_get_status_all(int count, const MPI_Request requests[], int *flag, MPI_Status statuses[]);
int MPI_Request_get_status_any(int count, const MPI_Request requests[], int *index, int *flag, MPI_Status *status);
int MPI_Request_get_status_some(int incount, const MPI_Request requests[], int *outcount, int indices[],
                                MPI_Status statuses[]);
int MPI_Cancel(MPI_Request *request);
int MPI_Test_cancelled(const MPI_Status *status, int *flag);
int MPI_Grequest_start(MPI_Grequest_query_function *query, MPI_Grequest_free_function *free,
    MPI_Grequest_cancel_function *cancel, void *extra, MPI_Request *request);
int MPI_Grequest_complete(MPI_Request request);
int MPI_Probe(int source, int tag, MPI_Comm comm, MPI_Status *status);
int MPI_Iprobe(int source, int tag, MPI_Comm comm, int *flag, MPI_Status *status);
int MPI_Mprobe(int source, int tag, MPI_Comm comm, MPI_Message *message, MPI_Status *status);
int MPI_Improbe(int source, int tag, MPI_Comm comm, int *flag, MPI_Message *message, MPI_Status *status);
int MPI_Mrecv(void *buf, int count, MPI_Datatype type, MPI_Message *message, MPI_Status *status);
int MPI_Imrecv(void *buf, int count, MPI_Datatype type, MPI_Message *message, MPI_Request *request);
int MPI_Mrecv_c(void *buf, MPI_Count count, MPI_Datatype type, MPI_Message *message, MPI_Status *status);
int MPI_Imrecv_c(void *buf, MPI_Count count, MPI_Datatype type, MPI_Message *message, MPI_Request *request);
int MPI_Sendrecv(const void *sendbuf, int sendcount, MPI_Datatype sendtype, int dest, int sendtag, void *recvbuf, int
    recvcount, MPI_Datatype recvtype, int source, int recvtag, MPI_Comm comm, MPI_Status *status);
int MPI_Sendrecv_replace(void *buf, int count, MPI_Datatype type, int dest, int sendtag, int source, int recvtag,
    MPI_Comm comm, MPI_Status *status);
int MPI_Psend_init(const void *buf, int partitions, int count, MPI_Datatype datatype, int dest, int tag, MPI_Comm comm,
    MPI_Info info, MPI_Request *request);
int MPI_Psend_init_c(const void *buf, int partitions, MPI_Count count, MPI_Datatype datatype, int dest, int tag,
    MPI_Comm comm, MPI_Info info, MPI_Request *request);
int MPI_Precv_init(void *buf, int partitions, int count, MPI_Datatype datatype, int source, int tag, MPI_Comm comm,
    MPI_Info info, MPI_Request *request);
int MPI_Precv_init_c(void *buf, int partitions, MPI_Count count, MPI_Datatype datatype, int source, int tag,
    MPI_Comm comm, MPI_Info info, MPI_Request *request);
int MPI_Pready(int partition, MPI_Request request);
int MPI_Pready_range(int low, int high, MPI_Request request);
int MPI_Pready_list(int length, const int partitions[], MPI_Request request);
int MPI_Parrived(MPI_Request request, int partition, int *flag);
int MPI_Buffer_flush(void);
int MPI_Buffer_iflush(MPI_Request *request);
int MPI_Comm_attach_buffer(MPI_Comm comm, void *buf, int size);
int MPI_Comm_attach_buffer_c(MPI_Comm comm, void *buf, MPI_Count size);
int MPI_Comm_detach_buffer(MPI_Comm comm, void *buf, int *size);
int MPI_Comm_detach_buffer_c(MPI_Comm comm, void *buf, MPI_Count *size);
int MPI_Comm_flush_buffer(MPI_Comm comm);
int MPI_Comm_iflush_buffer(MPI_Comm comm, MPI_Request *request);
int MPI_Session_attach_buffer(MPI_Session session, void *buf, int size);
int MPI_Session_attach_buffer_c(MPI_Session session, void *buf, MPI_Count size);
int MPI_Session_detach_buffer(MPI_Session session, void *buf, int *size);
int MPI_Session_detach_buffer_c(MPI_Session session, void *buf, MPI_Count *size);
int MPI_Session_flush_buffer(MPI_Session session);
int MPI_Session_iflush_buffer(MPI_Session session, MPI_Request *request);
int MPI_Buffer_attach(void *buf, int size);
int MPI_Buffer_detach(void *buf, int *size);
int MPI_Get_count(const MPI_Status *status, MPI_Datatype type, int *count);
int MPI_Get_elements(const MPI_Status *status, MPI_Datatype type, int *count);
int MPI_Get_elements_x(const MPI_Status *status, MPI_Datatype type, MPI_Count *count);
int MPI_Status_set_elements(MPI_Status *status, MPI_Datatype type, int count);
int MPI_Status_set_elements_x(MPI_Status *status, MPI_Datatype type, MPI_Count count);
int MPI_Status_set_cancelled(MPI_Status *status, int flag);
int MPI_Status_get_source(const MPI_Status *status, int *source);
int MPI_Status_set_source(MPI_Status *status, int source);
int MPI_Status_get_tag(const MPI_Status *status, int *tag);
int MPI_Status_set_tag(MPI_Status *status, int tag);
int MPI_Status_get_error(const MPI_Status *status, int *error);
int MPI_Status_set_error(MPI_Status *status, int error);

/* ---- datatypes (chapter 4) ---- */

int MPI_Type_contiguous(int count, MPI_Datatype old, MPI_Datatype *type);
int MPI_Type_vector(int count, int blocklen, int stride, MPI_Datatype old, MPI_Datatype *type);
int MPI_Type_create_hvector(int count, int blocklen, MPI_Aint stride, MPI_Datatype old, MPI_Datatype *type);
int MPI_Type_indexed(int count, const int blocklens[], const int displs[], MPI_Datatype old, MPI_Datatype *type);
int MPI_Type_create_hindexed(int count, const int blocklens[], const MPI_Aint displs[], MPI_Datatype old, MPI_Datatype
    *type);
int MPI_Type_create_indexed_block(int count, int blocklen, const int displs[], MPI_Datatype old, MPI_Datatype *type);
int MPI_Type_create_hindexed_block(int count, int blocklen, const MPI_Aint displs[], MPI_Datatype old, MPI_Datatype
    *type);
int MPI_Type_create_struct(int count, const int blocklens[], const MPI_Aint displs[], const MPI_Datatype types[],
    MPI_Datatype *type);
int MPI_Type_create_subarray(int ndims, const int sizes[], const int subsizes[], const int starts[], int order,
    MPI_Datatype old, MPI_Datatype *type);
int MPI_Type_create_darray(int size, int rank, int ndims, const int gsizes[], const int distribs[], const int dargs[],
    const int psizes[], int order, MPI_Datatype old, MPI_Datatype *type);
int MPI_Type_create_resized(MPI_Datatype old, MPI_Aint lb, MPI_Aint extent, MPI_Datatype *type);
int MPI_Type_dup(MPI_Datatype old, MPI_Datatype *type);
int MPI_Type_commit(MPI_Datatype *type);
int MPI_Type_free(MPI_Datatype *type);
int MPI_Type_size(MPI_Datatype type, int *size);
int MPI_Type_size_x(MPI_Datatype type, MPI_Count *size);
int MPI_Type_get_extent(MPI_Datatype type, MPI_Aint *lb, MPI_Aint *extent);
int MPI_Type_get_extent_x(MPI_Datatype type, MPI_Count *lb, MPI_Count *extent);
int MPI_Type_get_true_extent(MPI_Datatype type, MPI_Aint *lb, MPI_Aint *extent);
int MPI_Type_get_true_extent_x(MPI_Datatype type, MPI_Count *lb, MPI_Count *extent);
int MPI_Type_get_envelope(MPI_Datatype type, int *nints, int *naddrs, int *ntypes, int *combiner);
int MPI_Type_get_contents(MPI_Datatype type, int maxints, int maxaddrs, int maxtypes, int ints[], MPI_Aint addrs[],
    MPI_Datatype types[]);
int MPI_Type_set_name(MPI_Datatype type, const char *name);
int MPI_Type_get_name(MPI_Datatype type, char *name, int *len);
int MPI_Type_match_size(int typeclass, int size, MPI_Datatype *type);
int MPI_Type_get_value_index(MPI_Datatype value_type, MPI_Datatype index_type, MPI_Datatype *pair_type);
int MPI_Type_create_f90_integer(int r, MPI_Datatype *type);
int MPI_Type_create_f90_real(int p, int r, MPI_Datatype *type);
int MPI_Type_create_f90_complex(int p, int r, MPI_Datatype *type);
int MPI_Type_create_keyval(MPI_Type_copy_attr_function *copy, MPI_Type_delete_attr_function *del, int *keyval, void
    *extra);
int MPI_Type_free_keyval(int *keyval);
int MPI_Type_set_attr(MPI_Datatype type, int keyval, void *value);
int MPI_Type_get_attr(MPI_Datatype type, int keyval, void *value, int *flag);
int MPI_Type_delete_attr(MPI_Datatype type, int keyval);
int MPI_Get_address(const void *location, MPI_Aint *address);
MPI_Aint MPI_Aint_add(MPI_Aint base, MPI_Aint disp);
MPI_Aint MPI_Aint_diff(MPI_Aint addr1, MPI_Aint addr2);
int MPI_Pack(const void *in, int incount, MPI_Datatype type, void *out, int outsize, int *position, MPI_Comm comm);
int MPI_Unpack(const void *in, int insize, int *position, void *out, int outcount, MPI_Datatype type, MPI_Comm comm);
int MPI_Pack_size(int incount, MPI_Datatype type, MPI_Comm comm, int *size);

int MPI_Pack_external(const char datarep[], const void *in, int incount, MPI_Datatype type, void *out, MPI_Aint
    outsize, MPI_Aint *position);
int MPI_Unpack_external(const char datarep[], const void *in, MPI_Aint insize, MPI_Aint *position, void *out, int
    outcount, MPI_Datatype type);
int MPI_Pack_external_size(const char datarep[], int incount, MPI_Datatype type, MPI_Aint *size);
int MPI_Pack_external_c(const char datarep[], const void *in, MPI_Count incount, MPI_Datatype type, void *out,
    MPI_Count outsize, MPI_Count *position);
int MPI_Unpack_external_c(const char datarep[], const void *in, MPI_Count insize, MPI_Count *position, void *out,
    MPI_Count outcount, MPI_Datatype type);
int MPI_Pack_external_size_c(const char datarep[], MPI_Count incount, MPI_Datatype type, MPI_Count *size);

/* ---- collectives (chapter 5) ---- */

int MPI_Barrier(MPI_Comm comm);
int MPI_Bcast(void *buf, int count, MPI_Datatype type, int root, MPI_Comm comm);
int MPI_Gather(const void *sendbuf, int sendcount, MPI_Datatype sendtype, void *recvbuf, int recvcount, MPI_Datatype
    recvtype, int root, MPI_Comm comm);
int MPI_Gatherv(const void *sendbuf, int sendcount, MPI_Datatype sendtype, void *recvbuf, const int recvcounts[],
    const int displs[], MPI_Datatype recvtype, int root, MPI_Comm comm);
int MPI_Scatter(const void *sendbuf, int sendcount, MPI_Datatype sendtype, void *recvbuf, int recvcount, MPI_Datatype
    recvtype, int root, MPI_Comm comm);
int MPI_Scatterv(const void *sendbuf, const int sendcounts[], const int displs[], MPI_Datatype sendtype, void
    *recvbuf, int recvcount, MPI_Datatype recvtype, int root, MPI_Comm comm);
int MPI_Allgather(const void *sendbuf, int sendcount, MPI_Datatype sendtype, void *recvbuf, int recvcount,
    MPI_Datatype recvtype, MPI_Comm comm);
int MPI_Allgatherv(const void *sendbuf, int sendcount, MPI_Datatype sendtype, void *recvbuf, const int recvcounts[],
    const int displs[], MPI_Datatype recvtype, MPI_Comm comm);
int MPI_Alltoall(const void *sendbuf, int sendcount, MPI_Datatype sendtype, void *recvbuf, int recvcount, MPI_Datatype
    recvtype, MPI_Comm comm);
int MPI_Alltoallv(const void *sendbuf, const int sendcounts[], const int sdispls[], MPI_Datatype sendtype, void
    *recvbuf, const int recvcounts[], const int rdispls[], MPI_Datatype recvtype, MPI_Comm comm);
int MPI_Alltoallw(const void *sendbuf, const int sendcounts[], const int sdispls[], const MPI_Datatype sendtypes[],
    void *recvbuf, const int recvcounts[], const int rdispls[], const MPI_Datatype recvtypes[], MPI_Comm comm);
int MPI_Reduce(const void *sendbuf, void *recvbuf, int count, MPI_Datatype type, MPI_Op op, int root, MPI_Comm comm);
int MPI_Allreduce(const void *sendbuf, void *recvbuf, int count, MPI_Datatype type, MPI_Op op, MPI_Comm comm);
int MPI_Reduce_scatter(const void *sendbuf, void *recvbuf, const int recvcounts[], MPI_Datatype type, MPI_Op op,
    MPI_Comm comm);
int MPI_Reduce_scatter_block(const void *sendbuf, void *recvbuf, int recvcount, MPI_Datatype type, MPI_Op op, MPI_Comm
    comm);
int MPI_Scan(const void *sendbuf, void *recvbuf, int count, MPI_Datatype type, MPI_Op op, MPI_Comm comm);
int MPI_Exscan(const void *sendbuf, void *recvbuf, int count, MPI_Datatype type, MPI_Op op, MPI_Comm comm);
int MPI_Reduce_local(const void *inbuf, void *inoutbuf, int count, MPI_Datatype type, MPI_Op op);
int MPI_Reduce_local_c(const void *inbuf, void *inoutbuf, MPI_Count count, MPI_Datatype type, MPI_Op op);
int MPI_Op_create(MPI_User_function *fn, int commute, MPI_Op *op);
int MPI_Op_create_c(MPI_User_function_c *fn, int commute, MPI_Op *op);
int MPI_Op_free(MPI_Op *op);
int MPI_Op_commutative(MPI_Op op, int *commute);

/* ---- non-blocking and persistent collectives (MPI 3.1 section 5.12, MPI 4.1 section 6.13) ---- */

int MPI_Ibarrier(MPI_Comm comm, MPI_Request *request);
int MPI_Ibcast(void *buf, int count, MPI_Datatype type, int root, MPI_Comm comm, MPI_Request *request);
int MPI_Igather(const void *sendbuf, int sendcount, MPI_Datatype sendtype, void *recvbuf, int recvcount, MPI_Datatype
    recvtype, int root, MPI_Comm comm, MPI_Request *request);
int MPI_Igatherv(const void *sendbuf, int sendcount, MPI_Datatype sendtype, void *recvbuf, const int recvcounts[],
    const int rdispls[], MPI_Datatype recvtype, int root, MPI_Comm comm, MPI_Request *request);
int MPI_Iscatter(const void *sendbuf, int sendcount, MPI_Datatype sendtype, void *recvbuf, int recvcount, MPI_Datatype
    recvtype, int root, MPI_Comm comm, MPI_Request *request);
int MPI_Iscatterv(const void *sendbuf, const int sendcounts[], const int sdispls[], MPI_Datatype sendtype, void
    *recvbuf, int recvcount, MPI_Datatype recvtype, int root, MPI_Comm comm, MPI_Request *request);
int MPI_Iallgather(const void *sendbuf, int sendcount, MPI_Datatype sendtype, void *recvbuf, int recvcount,
    MPI_Datatype recvtype, MPI_Comm comm, MPI_Request *request);
int MPI_Iallgatherv(const void *sendbuf, int sendcount, MPI_Datatype sendtype, void *recvbuf, const int recvcounts[],
    const int rdispls[], MPI_Datatype recvtype, MPI_Comm comm, MPI_Request *request);
int MPI_Ialltoall(const void *sendbuf, int sendcount, MPI_Datatype sendtype, void *recvbuf, int recvcount,
    MPI_Datatype recvtype, MPI_Comm comm, MPI_Request *request);
int MPI_Ialltoallv(const void *sendbuf, const int sendcounts[], const int sdispls[], MPI_Datatype sendtype, void
    *recvbuf, const int recvcounts[], const int rdispls[], MPI_Datatype recvtype, MPI_Comm comm, MPI_Request
    *request);
int MPI_Ialltoallw(const void *sendbuf, const int sendcounts[], const int sdispls[], const MPI_Datatype sendtypes[],
    void *recvbuf, const int recvcounts[], const int rdispls[], const MPI_Datatype recvtypes[], MPI_Comm comm,
    MPI_Request *request);
int MPI_Ireduce(const void *sendbuf, void *recvbuf, int count, MPI_Datatype type, MPI_Op op, int root, MPI_Comm comm,
    MPI_Request *request);
int MPI_Iallreduce(const void *sendbuf, void *recvbuf, int count, MPI_Datatype type, MPI_Op op, MPI_Comm comm,
    MPI_Request *request);
int MPI_Ireduce_scatter(const void *sendbuf, void *recvbuf, const int recvcounts[], MPI_Datatype type, MPI_Op op,
    MPI_Comm comm, MPI_Request *request);
int MPI_Ireduce_scatter_block(const void *sendbuf, void *recvbuf, int count, MPI_Datatype type, MPI_Op op, MPI_Comm
    comm, MPI_Request *request);
int MPI_Iscan(const void *sendbuf, void *recvbuf, int count, MPI_Datatype type, MPI_Op op, MPI_Comm comm, MPI_Request
    *request);
int MPI_Iexscan(const void *sendbuf, void *recvbuf, int count, MPI_Datatype type, MPI_Op op, MPI_Comm comm,
    MPI_Request *request);
int MPI_Ineighbor_allgather(const void *sendbuf, int sendcount, MPI_Datatype sendtype, void *recvbuf, int recvcount,
    MPI_Datatype recvtype, MPI_Comm comm, MPI_Request *request);
int MPI_Ineighbor_allgatherv(const void *sendbuf, int sendcount, MPI_Datatype sendtype, void *recvbuf, const int
    recvcounts[], const int rdispls[], MPI_Datatype recvtype, MPI_Comm comm, MPI_Request *request);
int MPI_Ineighbor_alltoall(const void *sendbuf, int sendcount, MPI_Datatype sendtype, void *recvbuf, int recvcount,
    MPI_Datatype recvtype, MPI_Comm comm, MPI_Request *request);
int MPI_Ineighbor_alltoallv(const void *sendbuf, const int sendcounts[], const int sdispls[], MPI_Datatype sendtype,
    void *recvbuf, const int recvcounts[], const int rdispls[], MPI_Datatype recvtype, MPI_Comm comm, MPI_Request
    *request);
int MPI_Ineighbor_alltoallw(const void *sendbuf, const int sendcounts[], const MPI_Aint sdispls[], const MPI_Datatype
    sendtypes[], void *recvbuf, const int recvcounts[], const MPI_Aint rdispls[], const MPI_Datatype recvtypes[],
    MPI_Comm comm, MPI_Request *request);
int MPI_Barrier_init(MPI_Comm comm, MPI_Info info, MPI_Request *request);
int MPI_Bcast_init(void *buf, int count, MPI_Datatype type, int root, MPI_Comm comm, MPI_Info info, MPI_Request
    *request);
int MPI_Gather_init(const void *sendbuf, int sendcount, MPI_Datatype sendtype, void *recvbuf, int recvcount,
    MPI_Datatype recvtype, int root, MPI_Comm comm, MPI_Info info, MPI_Request *request);
int MPI_Gatherv_init(const void *sendbuf, int sendcount, MPI_Datatype sendtype, void *recvbuf, const int recvcounts[],
    const int rdispls[], MPI_Datatype recvtype, int root, MPI_Comm comm, MPI_Info info, MPI_Request *request);
int MPI_Scatter_init(const void *sendbuf, int sendcount, MPI_Datatype sendtype, void *recvbuf, int recvcount,
    MPI_Datatype recvtype, int root, MPI_Comm comm, MPI_Info info, MPI_Request *request);
int MPI_Scatterv_init(const void *sendbuf, const int sendcounts[], const int sdispls[], MPI_Datatype sendtype, void
    *recvbuf, int recvcount, MPI_Datatype recvtype, int root, MPI_Comm comm, MPI_Info info, MPI_Request *request);
int MPI_Allgather_init(const void *sendbuf, int sendcount, MPI_Datatype sendtype, void *recvbuf, int recvcount,
    MPI_Datatype recvtype, MPI_Comm comm, MPI_Info info, MPI_Request *request);
int MPI_Allgatherv_init(const void *sendbuf, int sendcount, MPI_Datatype sendtype, void *recvbuf, const int
    recvcounts[], const int rdispls[], MPI_Datatype recvtype, MPI_Comm comm, MPI_Info info, MPI_Request *request);
int MPI_Alltoall_init(const void *sendbuf, int sendcount, MPI_Datatype sendtype, void *recvbuf, int recvcount,
    MPI_Datatype recvtype, MPI_Comm comm, MPI_Info info, MPI_Request *request);
int MPI_Alltoallv_init(const void *sendbuf, const int sendcounts[], const int sdispls[], MPI_Datatype sendtype, void
    *recvbuf, const int recvcounts[], const int rdispls[], MPI_Datatype recvtype, MPI_Comm comm, MPI_Info info,
    MPI_Request *request);
int MPI_Alltoallw_init(const void *sendbuf, const int sendcounts[], const int sdispls[], const MPI_Datatype
    sendtypes[], void *recvbuf, const int recvcounts[], const int rdispls[], const MPI_Datatype recvtypes[], MPI_Comm
    comm, MPI_Info info, MPI_Request *request);
int MPI_Reduce_init(const void *sendbuf, void *recvbuf, int count, MPI_Datatype type, MPI_Op op, int root, MPI_Comm
    comm, MPI_Info info, MPI_Request *request);
int MPI_Allreduce_init(const void *sendbuf, void *recvbuf, int count, MPI_Datatype type, MPI_Op op, MPI_Comm comm,
    MPI_Info info, MPI_Request *request);
int MPI_Reduce_scatter_init(const void *sendbuf, void *recvbuf, const int recvcounts[], MPI_Datatype type, MPI_Op op,
    MPI_Comm comm, MPI_Info info, MPI_Request *request);
int MPI_Reduce_scatter_block_init(const void *sendbuf, void *recvbuf, int count, MPI_Datatype type, MPI_Op op,
    MPI_Comm comm, MPI_Info info, MPI_Request *request);
int MPI_Scan_init(const void *sendbuf, void *recvbuf, int count, MPI_Datatype type, MPI_Op op, MPI_Comm comm, MPI_Info
    info, MPI_Request *request);
int MPI_Exscan_init(const void *sendbuf, void *recvbuf, int count, MPI_Datatype type, MPI_Op op, MPI_Comm comm,
    MPI_Info info, MPI_Request *request);
int MPI_Neighbor_allgather_init(const void *sendbuf, int sendcount, MPI_Datatype sendtype, void *recvbuf, int
    recvcount, MPI_Datatype recvtype, MPI_Comm comm, MPI_Info info, MPI_Request *request);
int MPI_Neighbor_allgatherv_init(const void *sendbuf, int sendcount, MPI_Datatype sendtype, void *recvbuf, const int
    recvcounts[], const int rdispls[], MPI_Datatype recvtype, MPI_Comm comm, MPI_Info info, MPI_Request *request);
int MPI_Neighbor_alltoall_init(const void *sendbuf, int sendcount, MPI_Datatype sendtype, void *recvbuf, int
    recvcount, MPI_Datatype recvtype, MPI_Comm comm, MPI_Info info, MPI_Request *request);
int MPI_Neighbor_alltoallv_init(const void *sendbuf, const int sendcounts[], const int sdispls[], MPI_Datatype
    sendtype, void *recvbuf, const int recvcounts[], const int rdispls[], MPI_Datatype recvtype, MPI_Comm comm,
    MPI_Info info, MPI_Request *request);
int MPI_Neighbor_alltoallw_init(const void *sendbuf, const int sendcounts[], const MPI_Aint sdispls[], const
    MPI_Datatype sendtypes[], void *recvbuf, const int recvcounts[], const MPI_Aint rdispls[], const MPI_Datatype
    recvtypes[], MPI_Comm comm, MPI_Info info, MPI_Request *request);

/* ---- collectives on neighbours (chapter 7) ---- */

int MPI_Neighbor_allgather(const void *sendbuf, int sendcount, MPI_Datatype sendtype, void *recvbuf, int recvcount,
    MPI_Datatype recvtype, MPI_Comm comm);
int MPI_Neighbor_allgatherv(const void *sendbuf, int sendcount, MPI_Datatype sendtype, void *recvbuf, const int
    recvcounts[], const int rdispls[], MPI_Datatype recvtype, MPI_Comm comm);
int MPI_Neighbor_alltoall(const void *sendbuf, int sendcount, MPI_Datatype sendtype, void *recvbuf, int recvcount,
    MPI_Datatype recvtype, MPI_Comm comm);
int MPI_Neighbor_alltoallv(const void *sendbuf, const int sendcounts[], const int sdispls[], MPI_Datatype sendtype,
    void *recvbuf, const int recvcounts[], const int rdispls[], MPI_Datatype recvtype, MPI_Comm comm);
int MPI_Neighbor_alltoallw(const void *sendbuf, const int sendcounts[], const MPI_Aint sdispls[], const MPI_Datatype
    sendtypes[], void *recvbuf, const int recvcounts[], const MPI_Aint rdispls[], const MPI_Datatype recvtypes[],
    MPI_Comm comm);

/* ---- collectives with large counts (MPI 4.1) ---- */

int MPI_Bcast_c(void *buf, MPI_Count count, MPI_Datatype type, int root, MPI_Comm comm);
int MPI_Ibcast_c(void *buf, MPI_Count count, MPI_Datatype type, int root, MPI_Comm comm, MPI_Request *request);
int MPI_Bcast_init_c(void *buf, MPI_Count count, MPI_Datatype type, int root, MPI_Comm comm, MPI_Info info,
    MPI_Request *request);
int MPI_Gather_c(const void *sendbuf, MPI_Count sendcount, MPI_Datatype sendtype, void *recvbuf, MPI_Count recvcount,
    MPI_Datatype recvtype, int root, MPI_Comm comm);
int MPI_Igather_c(const void *sendbuf, MPI_Count sendcount, MPI_Datatype sendtype, void *recvbuf, MPI_Count recvcount,
    MPI_Datatype recvtype, int root, MPI_Comm comm, MPI_Request *request);
int MPI_Gather_init_c(const void *sendbuf, MPI_Count sendcount, MPI_Datatype sendtype, void *recvbuf, MPI_Count
    recvcount, MPI_Datatype recvtype, int root, MPI_Comm comm, MPI_Info info, MPI_Request *request);
int MPI_Gatherv_c(const void *sendbuf, MPI_Count sendcount, MPI_Datatype sendtype, void *recvbuf, const MPI_Count
    recvcounts[], const MPI_Aint rdispls[], MPI_Datatype recvtype, int root, MPI_Comm comm);
int MPI_Igatherv_c(const void *sendbuf, MPI_Count sendcount, MPI_Datatype sendtype, void *recvbuf, const MPI_Count
    recvcounts[], const MPI_Aint rdispls[], MPI_Datatype recvtype, int root, MPI_Comm comm, MPI_Request *request);
int MPI_Gatherv_init_c(const void *sendbuf, MPI_Count sendcount, MPI_Datatype sendtype, void *recvbuf, const MPI_Count
    recvcounts[], const MPI_Aint rdispls[], MPI_Datatype recvtype, int root, MPI_Comm comm, MPI_Info info, MPI_Request
    *request);
int MPI_Scatter_c(const void *sendbuf, MPI_Count sendcount, MPI_Datatype sendtype, void *recvbuf, MPI_Count recvcount,
    MPI_Datatype recvtype, int root, MPI_Comm comm);
int MPI_Iscatter_c(const void *sendbuf, MPI_Count sendcount, MPI_Datatype sendtype, void *recvbuf, MPI_Count
    recvcount, MPI_Datatype recvtype, int root, MPI_Comm comm, MPI_Request *request);
int MPI_Scatter_init_c(const void *sendbuf, MPI_Count sendcount, MPI_Datatype sendtype, void *recvbuf, MPI_Count
    recvcount, MPI_Datatype recvtype, int root, MPI_Comm comm, MPI_Info info, MPI_Request *request);
int MPI_Scatterv_c(const void *sendbuf, const MPI_Count sendcounts[], const MPI_Aint sdispls[], MPI_Datatype sendtype,
    void *recvbuf, MPI_Count recvcount, MPI_Datatype recvtype, int root, MPI_Comm comm);
int MPI_Iscatterv_c(const void *sendbuf, const MPI_Count sendcounts[], const MPI_Aint sdispls[], MPI_Datatype
    sendtype, void *recvbuf, MPI_Count recvcount, MPI_Datatype recvtype, int root, MPI_Comm comm, MPI_Request
    *request);
int MPI_Scatterv_init_c(const void *sendbuf, const MPI_Count sendcounts[], const MPI_Aint sdispls[], MPI_Datatype
    sendtype, void *recvbuf, MPI_Count recvcount, MPI_Datatype recvtype, int root, MPI_Comm comm, MPI_Info info,
    MPI_Request *request);
int MPI_Allgather_c(const void *sendbuf, MPI_Count sendcount, MPI_Datatype sendtype, void *recvbuf, MPI_Count
    recvcount, MPI_Datatype recvtype, MPI_Comm comm);
int MPI_Iallgather_c(const void *sendbuf, MPI_Count sendcount, MPI_Datatype sendtype, void *recvbuf, MPI_Count
    recvcount, MPI_Datatype recvtype, MPI_Comm comm, MPI_Request *request);
int MPI_Allgather_init_c(const void *sendbuf, MPI_Count sendcount, MPI_Datatype sendtype, void *recvbuf, MPI_Count
    recvcount, MPI_Datatype recvtype, MPI_Comm comm, MPI_Info info, MPI_Request *request);
int MPI_Allgatherv_c(const void *sendbuf, MPI_Count sendcount, MPI_Datatype sendtype, void *recvbuf, const MPI_Count
    recvcounts[], const MPI_Aint rdispls[], MPI_Datatype recvtype, MPI_Comm comm);
int MPI_Iallgatherv_c(const void *sendbuf, MPI_Count sendcount, MPI_Datatype sendtype, void *recvbuf, const MPI_Count
    recvcounts[], const MPI_Aint rdispls[], MPI_Datatype recvtype, MPI_Comm comm, MPI_Request *request);
int MPI_Allgatherv_init_c(const void *sendbuf, MPI_Count sendcount, MPI_Datatype sendtype, void *recvbuf, const
    MPI_Count recvcounts[], const MPI_Aint rdispls[], MPI_Datatype recvtype, MPI_Comm comm, MPI_Info info, MPI_Request
    *request);
int MPI_Alltoall_c(const void *sendbuf, MPI_Count sendcount, MPI_Datatype sendtype, void *recvbuf, MPI_Count
    recvcount, MPI_Datatype recvtype, MPI_Comm comm);
int MPI_Ialltoall_c(const void *sendbuf, MPI_Count sendcount, MPI_Datatype sendtype, void *recvbuf, MPI_Count
    recvcount, MPI_Datatype recvtype, MPI_Comm comm, MPI_Request *request);
int MPI_Alltoall_init_c(const void *sendbuf, MPI_Count sendcount, MPI_Datatype sendtype, void *recvbuf, MPI_Count
    recvcount, MPI_Datatype recvtype, MPI_Comm comm, MPI_Info info, MPI_Request *request);
int MPI_Alltoallv_c(const void *sendbuf, const MPI_Count sendcounts[], const MPI_Aint sdispls[], MPI_Datatype
    sendtype, void *recvbuf, const MPI_Count recvcounts[], const MPI_Aint rdispls[], MPI_Datatype recvtype, MPI_Comm
    comm);
int MPI_Ialltoallv_c(const void *sendbuf, const MPI_Count sendcounts[], const MPI_Aint sdispls[], MPI_Datatype
    sendtype, void *recvbuf, const MPI_Count recvcounts[], const MPI_Aint rdispls[], MPI_Datatype recvtype, MPI_Comm
    comm, MPI_Request *request);
int MPI_Alltoallv_init_c(const void *sendbuf, const MPI_Count sendcounts[], const MPI_Aint sdispls[], MPI_Datatype
    sendtype, void *recvbuf, const MPI_Count recvcounts[], const MPI_Aint rdispls[], MPI_Datatype recvtype, MPI_Comm
    comm, MPI_Info info, MPI_Request *request);
int MPI_Alltoallw_c(const void *sendbuf, const MPI_Count sendcounts[], const MPI_Aint sdispls[], const MPI_Datatype
    sendtypes[], void *recvbuf, const MPI_Count recvcounts[], const MPI_Aint rdispls[], const MPI_Datatype
    recvtypes[], MPI_Comm comm);
int MPI_Ialltoallw_c(const void *sendbuf, const MPI_Count sendcounts[], const MPI_Aint sdispls[], const MPI_Datatype
    sendtypes[], void *recvbuf, const MPI_Count recvcounts[], const MPI_Aint rdispls[], const MPI_Datatype
    recvtypes[], MPI_Comm comm, MPI_Request *request);
int MPI_Alltoallw_init_c(const void *sendbuf, const MPI_Count sendcounts[], const MPI_Aint sdispls[], const
    MPI_Datatype sendtypes[], void *recvbuf, const MPI_Count recvcounts[], const MPI_Aint rdispls[], const
    MPI_Datatype recvtypes[], MPI_Comm comm, MPI_Info info, MPI_Request *request);
int MPI_Reduce_c(const void *sendbuf, void *recvbuf, MPI_Count count, MPI_Datatype type, MPI_Op op, int root, MPI_Comm
    comm);
int MPI_Ireduce_c(const void *sendbuf, void *recvbuf, MPI_Count count, MPI_Datatype type, MPI_Op op, int root,
    MPI_Comm comm, MPI_Request *request);
int MPI_Reduce_init_c(const void *sendbuf, void *recvbuf, MPI_Count count, MPI_Datatype type, MPI_Op op, int root,
    MPI_Comm comm, MPI_Info info, MPI_Request *request);
int MPI_Allreduce_c(const void *sendbuf, void *recvbuf, MPI_Count count, MPI_Datatype type, MPI_Op op, MPI_Comm comm);
int MPI_Iallreduce_c(const void *sendbuf, void *recvbuf, MPI_Count count, MPI_Datatype type, MPI_Op op, MPI_Comm comm,
    MPI_Request *request);
int MPI_Allreduce_init_c(const void *sendbuf, void *recvbuf, MPI_Count count, MPI_Datatype type, MPI_Op op, MPI_Comm
    comm, MPI_Info info, MPI_Request *request);
int MPI_Reduce_scatter_c(const void *sendbuf, void *recvbuf, const MPI_Count recvcounts[], MPI_Datatype type, MPI_Op
    op, MPI_Comm comm);
int MPI_Ireduce_scatter_c(const void *sendbuf, void *recvbuf, const MPI_Count recvcounts[], MPI_Datatype type, MPI_Op
    op, MPI_Comm comm, MPI_Request *request);
int MPI_Reduce_scatter_init_c(const void *sendbuf, void *recvbuf, const MPI_Count recvcounts[], MPI_Datatype type,
    MPI_Op op, MPI_Comm comm, MPI_Info info, MPI_Request *request);
int MPI_Reduce_scatter_block_c(const void *sendbuf, void *recvbuf, MPI_Count count, MPI_Datatype type, MPI_Op op,
    MPI_Comm comm);
int MPI_Ireduce_scatter_block_c(const void *sendbuf, void *recvbuf, MPI_Count count, MPI_Datatype type, MPI_Op op,
    MPI_Comm comm, MPI_Request *request);
int MPI_Reduce_scatter_block_init_c(const void *sendbuf, void *recvbuf, MPI_Count count, MPI_Datatype type, MPI_Op op,
    MPI_Comm comm, MPI_Info info, MPI_Request *request);
int MPI_Scan_c(const void *sendbuf, void *recvbuf, MPI_Count count, MPI_Datatype type, MPI_Op op, MPI_Comm comm);
int MPI_Iscan_c(const void *sendbuf, void *recvbuf, MPI_Count count, MPI_Datatype type, MPI_Op op, MPI_Comm comm,
    MPI_Request *request);
int MPI_Scan_init_c(const void *sendbuf, void *recvbuf, MPI_Count count, MPI_Datatype type, MPI_Op op, MPI_Comm comm,
    MPI_Info info, MPI_Request *request);
int MPI_Exscan_c(const void *sendbuf, void *recvbuf, MPI_Count count, MPI_Datatype type, MPI_Op op, MPI_Comm comm);
int MPI_Iexscan_c(const void *sendbuf, void *recvbuf, MPI_Count count, MPI_Datatype type, MPI_Op op, MPI_Comm comm,
    MPI_Request *request);
int MPI_Exscan_init_c(const void *sendbuf, void *recvbuf, MPI_Count count, MPI_Datatype type, MPI_Op op, MPI_Comm
    comm, MPI_Info info, MPI_Request *request);
int MPI_Neighbor_allgather_c(const void *sendbuf, MPI_Count sendcount, MPI_Datatype sendtype, void *recvbuf, MPI_Count
    recvcount, MPI_Datatype recvtype, MPI_Comm comm);
int MPI_Ineighbor_allgather_c(const void *sendbuf, MPI_Count sendcount, MPI_Datatype sendtype, void *recvbuf,
    MPI_Count recvcount, MPI_Datatype recvtype, MPI_Comm comm, MPI_Request *request);
int MPI_Neighbor_allgather_init_c(const void *sendbuf, MPI_Count sendcount, MPI_Datatype sendtype, void *recvbuf,
    MPI_Count recvcount, MPI_Datatype recvtype, MPI_Comm comm, MPI_Info info, MPI_Request *request);
int MPI_Neighbor_allgatherv_c(const void *sendbuf, MPI_Count sendcount, MPI_Datatype sendtype, void *recvbuf, const
    MPI_Count recvcounts[], const MPI_Aint rdispls[], MPI_Datatype recvtype, MPI_Comm comm);
int MPI_Ineighbor_allgatherv_c(const void *sendbuf, MPI_Count sendcount, MPI_Datatype sendtype, void *recvbuf, const
    MPI_Count recvcounts[], const MPI_Aint rdispls[], MPI_Datatype recvtype, MPI_Comm comm, MPI_Request *request);
int MPI_Neighbor_allgatherv_init_c(const void *sendbuf, MPI_Count sendcount, MPI_Datatype sendtype, void *recvbuf,
    const MPI_Count recvcounts[], const MPI_Aint rdispls[], MPI_Datatype recvtype, MPI_Comm comm, MPI_Info info,
    MPI_Request *request);
int MPI_Neighbor_alltoall_c(const void *sendbuf, MPI_Count sendcount, MPI_Datatype sendtype, void *recvbuf, MPI_Count
    recvcount, MPI_Datatype recvtype, MPI_Comm comm);
int MPI_Ineighbor_alltoall_c(const void *sendbuf, MPI_Count sendcount, MPI_Datatype sendtype, void *recvbuf, MPI_Count
    recvcount, MPI_Datatype recvtype, MPI_Comm comm, MPI_Request *request);
int MPI_Neighbor_alltoall_init_c(const void *sendbuf, MPI_Count sendcount, MPI_Datatype sendtype, void *recvbuf,
    MPI_Count recvcount, MPI_Datatype recvtype, MPI_Comm comm, MPI_Info info, MPI_Request *request);
int MPI_Neighbor_alltoallv_c(const void *sendbuf, const MPI_Count sendcounts[], const MPI_Aint sdispls[], MPI_Datatype
    sendtype, void *recvbuf, const MPI_Count recvcounts[], const MPI_Aint rdispls[], MPI_Datatype recvtype, MPI_Comm
    comm);
int MPI_Ineighbor_alltoallv_c(const void *sendbuf, const MPI_Count sendcounts[], const MPI_Aint sdispls[],
    MPI_Datatype sendtype, void *recvbuf, const MPI_Count recvcounts[], const MPI_Aint rdispls[], MPI_Datatype
    recvtype, MPI_Comm comm, MPI_Request *request);
int MPI_Neighbor_alltoallv_init_c(const void *sendbuf, const MPI_Count sendcounts[], const MPI_Aint sdispls[],
    MPI_Datatype sendtype, void *recvbuf, const MPI_Count recvcounts[], const MPI_Aint rdispls[], MPI_Datatype
    recvtype, MPI_Comm comm, MPI_Info info, MPI_Request *request);
int MPI_Neighbor_alltoallw_c(const void *sendbuf, const MPI_Count sendcounts[], const MPI_Aint sdispls[], const
    MPI_Datatype sendtypes[], void *recvbuf, const MPI_Count recvcounts[], const MPI_Aint rdispls[], const
    MPI_Datatype recvtypes[], MPI_Comm comm);
int MPI_Ineighbor_alltoallw_c(const void *sendbuf, const MPI_Count sendcounts[], const MPI_Aint sdispls[], const
    MPI_Datatype sendtypes[], void *recvbuf, const MPI_Count recvcounts[], const MPI_Aint rdispls[], const
    MPI_Datatype recvtypes[], MPI_Comm comm, MPI_Request *request);
int MPI_Neighbor_alltoallw_init_c(const void *sendbuf, const MPI_Count sendcounts[], const MPI_Aint sdispls[], const
    MPI_Datatype sendtypes[], void *recvbuf, const MPI_Count recvcounts[], const MPI_Aint rdispls[], const
    MPI_Datatype recvtypes[], MPI_Comm comm, MPI_Info info, MPI_Request *request);

/* ---- groups, communicators, attributes (chapter 6) ---- */

int MPI_Group_size(MPI_Group group, int *size);
int MPI_Group_rank(MPI_Group group, int *rank);
int MPI_Group_translate_ranks(MPI_Group group1, int n, const int ranks1[], MPI_Group group2, int ranks2[]);
int MPI_Group_compare(MPI_Group group1, MPI_Group group2, int *result);
int MPI_Group_union(MPI_Group group1, MPI_Group group2, MPI_Group *newgroup);
int MPI_Group_intersection(MPI_Group group1, MPI_Group group2, MPI_Group *newgroup);
int MPI_Group_difference(MPI_Group group1, MPI_Group group2, MPI_Group *newgroup);
int MPI_Group_incl(MPI_Group group, int n, const int ranks[], MPI_Group *newgroup);
int MPI_Group_excl(MPI_Group group, int n, const int ranks[], MPI_Group *newgroup);
int MPI_Group_range_incl(MPI_Group group, int n, int ranges[][3], MPI_Group *newgroup);
int MPI_Group_range_excl(MPI_Group group, int n, int ranges[][3], MPI_Group *newgroup);
int MPI_Group_free(MPI_Group *group);
int MPI_Comm_size(MPI_Comm comm, int *size);
int MPI_Comm_rank(MPI_Comm comm, int *rank);
int MPI_Comm_group(MPI_Comm comm, MPI_Group *group);
int MPI_Comm_compare(MPI_Comm comm1, MPI_Comm comm2, int *result);
int MPI_Comm_dup(MPI_Comm comm, MPI_Comm *newcomm);
int MPI_Comm_dup_with_info(MPI_Comm comm, MPI_Info info, MPI_Comm *newcomm);
int MPI_Comm_create(MPI_Comm comm, MPI_Group group, MPI_Comm *newcomm);
int MPI_Comm_create_group(MPI_Comm comm, MPI_Group group, int tag, MPI_Comm *newcomm);
int MPI_Comm_split(MPI_Comm comm, int color, int key, MPI_Comm *newcomm);
int MPI_Comm_split_type(MPI_Comm comm, int split_type, int key, MPI_Info info, MPI_Comm *newcomm);
int MPI_Get_hw_resource_info(MPI_Info *hw_info);
int MPI_Comm_free(MPI_Comm *comm);
int MPI_Comm_disconnect(MPI_Comm *comm);
int MPI_Comm_join(int fd, MPI_Comm *newcomm);
int MPI_Session_init(MPI_Info info, MPI_Errhandler handler, MPI_Session *session);
int MPI_Session_finalize(MPI_Session *session);
int MPI_Session_get_num_psets(MPI_Session session, MPI_Info info, int *count);
int MPI_Session_get_nth_pset(MPI_Session session, MPI_Info info, int n, int *length, char *name);
int MPI_Session_get_info(MPI_Session session, MPI_Info *info);
int MPI_Session_get_pset_info(MPI_Session session, const char *name, MPI_Info *info);
int MPI_Session_create_errhandler(MPI_Session_errhandler_function *fn, MPI_Errhandler *handler);
int MPI_Session_set_errhandler(MPI_Session session, MPI_Errhandler handler);
int MPI_Session_get_errhandler(MPI_Session session, MPI_Errhandler *handler);
int MPI_Session_call_errhandler(MPI_Session session, int code);
int MPI_Group_from_session_pset(MPI_Session session, const char *name, MPI_Group *newgroup);
int MPI_Comm_create_from_group(MPI_Group group, const char *tag, MPI_Info info, MPI_Errhandler handler, MPI_Comm *newcomm);
int MPI_Intercomm_create_from_groups(MPI_Group local, int local_leader, MPI_Group remote, int remote_leader,
    const char *tag, MPI_Info info, MPI_Errhandler handler, MPI_Comm *newcomm);
int MPI_Comm_get_parent(MPI_Comm *parent);
int MPI_Comm_spawn(const char *command, char *argv[], int maxprocs, MPI_Info info, int root, MPI_Comm comm, MPI_Comm
    *intercomm, int errcodes[]);
int MPI_Comm_spawn_multiple(int count, char *commands[], char **argvs[], const int maxprocs[], const MPI_Info infos[],
    int root, MPI_Comm comm, MPI_Comm *intercomm, int errcodes[]);
int MPI_Open_port(MPI_Info info, char *port);
int MPI_Close_port(const char *port);
int MPI_Comm_accept(const char *port, MPI_Info info, int root, MPI_Comm comm, MPI_Comm *newcomm);
int MPI_Comm_connect(const char *port, MPI_Info info, int root, MPI_Comm comm, MPI_Comm *newcomm);
int MPI_Publish_name(const char *service, MPI_Info info, const char *port);
int MPI_Unpublish_name(const char *service, MPI_Info info, const char *port);
int MPI_Lookup_name(const char *service, MPI_Info info, char *port);
int MPI_Comm_test_inter(MPI_Comm comm, int *flag);
int MPI_Comm_remote_size(MPI_Comm comm, int *size);
int MPI_Comm_remote_group(MPI_Comm comm, MPI_Group *group);
int MPI_Intercomm_create(MPI_Comm local, int local_leader, MPI_Comm peer, int remote_leader, int tag, MPI_Comm
    *newcomm);
int MPI_Intercomm_merge(MPI_Comm comm, int high, MPI_Comm *newcomm);
int MPI_Comm_idup(MPI_Comm comm, MPI_Comm *newcomm, MPI_Request *request);
int MPI_Comm_idup_with_info(MPI_Comm comm, MPI_Info info, MPI_Comm *newcomm, MPI_Request *request);
int MPI_Comm_set_name(MPI_Comm comm, const char *name);
int MPI_Comm_get_name(MPI_Comm comm, char *name, int *len);
int MPI_Comm_set_info(MPI_Comm comm, MPI_Info info);
int MPI_Comm_get_info(MPI_Comm comm, MPI_Info *info);
int MPI_Comm_create_keyval(MPI_Comm_copy_attr_function *copy, MPI_Comm_delete_attr_function *del, int *keyval, void
    *extra);
int MPI_Comm_free_keyval(int *keyval);
int MPI_Comm_set_attr(MPI_Comm comm, int keyval, void *value);
int MPI_Comm_get_attr(MPI_Comm comm, int keyval, void *value, int *flag);
int MPI_Comm_delete_attr(MPI_Comm comm, int keyval);

/* ---- topologies (chapter 7) ---- */

int MPI_Dims_create(int nnodes, int ndims, int dims[]);
int MPI_Cart_create(MPI_Comm comm, int ndims, const int dims[], const int periods[], int reorder, MPI_Comm *newcomm);
int MPI_Cartdim_get(MPI_Comm comm, int *ndims);
int MPI_Cart_get(MPI_Comm comm, int maxdims, int dims[], int periods[], int coords[]);
int MPI_Cart_rank(MPI_Comm comm, const int coords[], int *rank);
int MPI_Cart_coords(MPI_Comm comm, int rank, int maxdims, int coords[]);
int MPI_Cart_shift(MPI_Comm comm, int direction, int disp, int *source, int *dest);
int MPI_Cart_sub(MPI_Comm comm, const int remain[], MPI_Comm *newcomm);
int MPI_Cart_map(MPI_Comm comm, int ndims, const int dims[], const int periods[], int *rank);
int MPI_Graph_create(MPI_Comm comm, int nnodes, const int index[], const int edges[], int reorder, MPI_Comm *newcomm);
int MPI_Graphdims_get(MPI_Comm comm, int *nnodes, int *nedges);
int MPI_Graph_get(MPI_Comm comm, int maxindex, int maxedges, int index[], int edges[]);
int MPI_Graph_neighbors_count(MPI_Comm comm, int rank, int *count);
int MPI_Graph_neighbors(MPI_Comm comm, int rank, int maxneighbors, int neighbors[]);
int MPI_Graph_map(MPI_Comm comm, int nnodes, const int index[], const int edges[], int *rank);
int MPI_Dist_graph_create(MPI_Comm comm, int n, const int *sources, const int *degrees, const int *destinations,
    const int *weights, MPI_Info info, int reorder, MPI_Comm *newcomm);
int MPI_Dist_graph_create_adjacent(MPI_Comm comm, int indegree, const int *sources, const int *sourceweights, int
    outdegree, const int *destinations, const int *destweights, MPI_Info info, int reorder, MPI_Comm *newcomm);
int MPI_Dist_graph_neighbors_count(MPI_Comm comm, int *indegree, int *outdegree, int *weighted);
int MPI_Dist_graph_neighbors(MPI_Comm comm, int maxindegree, int *sources, int *sourceweights, int maxoutdegree, int
    *destinations, int *destweights);
int MPI_Topo_test(MPI_Comm comm, int *status);

/* ---- files (chapter 13) ---- */

int MPI_File_open(MPI_Comm comm, const char *filename, int amode, MPI_Info info, MPI_File *file);
int MPI_File_close(MPI_File *file);
int MPI_File_delete(const char *filename, MPI_Info info);
int MPI_File_set_size(MPI_File file, MPI_Offset size);
int MPI_File_preallocate(MPI_File file, MPI_Offset size);
int MPI_File_get_size(MPI_File file, MPI_Offset *size);
int MPI_File_get_group(MPI_File file, MPI_Group *group);
int MPI_File_get_amode(MPI_File file, int *amode);
int MPI_File_set_info(MPI_File file, MPI_Info info);
int MPI_File_get_info(MPI_File file, MPI_Info *info);
int MPI_File_set_view(MPI_File file, MPI_Offset disp, MPI_Datatype etype, MPI_Datatype filetype, const char *datarep,
    MPI_Info info);
int MPI_File_get_view(MPI_File file, MPI_Offset *disp, MPI_Datatype *etype, MPI_Datatype *filetype, char *datarep);
int MPI_File_seek(MPI_File file, MPI_Offset offset, int whence);
int MPI_File_seek_shared(MPI_File file, MPI_Offset offset, int whence);
int MPI_File_get_position(MPI_File file, MPI_Offset *offset);
int MPI_File_get_position_shared(MPI_File file, MPI_Offset *offset);
int MPI_File_get_byte_offset(MPI_File file, MPI_Offset offset, MPI_Offset *disp);
int MPI_File_get_type_extent(MPI_File file, MPI_Datatype type, MPI_Aint *extent);
int MPI_File_get_type_extent_c(MPI_File file, MPI_Datatype type, MPI_Count *extent);
int MPI_Register_datarep(const char *datarep, MPI_Datarep_conversion_function *read, MPI_Datarep_conversion_function
    *write, MPI_Datarep_extent_function *extent, void *extra_state);
int MPI_Register_datarep_c(const char *datarep, MPI_Datarep_conversion_function_c *read,
    MPI_Datarep_conversion_function_c *write, MPI_Datarep_extent_function *extent, void *extra_state);
int MPI_File_set_atomicity(MPI_File file, int flag);
int MPI_File_get_atomicity(MPI_File file, int *flag);
int MPI_File_sync(MPI_File file);
int MPI_File_create_errhandler(MPI_File_errhandler_function *fn, MPI_Errhandler *handler);
int MPI_File_set_errhandler(MPI_File file, MPI_Errhandler handler);
int MPI_File_get_errhandler(MPI_File file, MPI_Errhandler *handler);
int MPI_File_call_errhandler(MPI_File file, int code);
int MPI_File_read_at(MPI_File file, MPI_Offset offset, void *buf, int count, MPI_Datatype type, MPI_Status *status);
int MPI_File_iread_at(MPI_File file, MPI_Offset offset, void *buf, int count, MPI_Datatype type, MPI_Request
    *request);
int MPI_File_read_at_c(MPI_File file, MPI_Offset offset, void *buf, MPI_Count count, MPI_Datatype type, MPI_Status
    *status);
int MPI_File_iread_at_c(MPI_File file, MPI_Offset offset, void *buf, MPI_Count count, MPI_Datatype type, MPI_Request
    *request);
int MPI_File_read_at_all(MPI_File file, MPI_Offset offset, void *buf, int count, MPI_Datatype type, MPI_Status
    *status);
int MPI_File_iread_at_all(MPI_File file, MPI_Offset offset, void *buf, int count, MPI_Datatype type, MPI_Request
    *request);
int MPI_File_read_at_all_c(MPI_File file, MPI_Offset offset, void *buf, MPI_Count count, MPI_Datatype type, MPI_Status
    *status);
int MPI_File_iread_at_all_c(MPI_File file, MPI_Offset offset, void *buf, MPI_Count count, MPI_Datatype type,
    MPI_Request *request);
int MPI_File_read(MPI_File file, void *buf, int count, MPI_Datatype type, MPI_Status *status);
int MPI_File_iread(MPI_File file, void *buf, int count, MPI_Datatype type, MPI_Request *request);
int MPI_File_read_c(MPI_File file, void *buf, MPI_Count count, MPI_Datatype type, MPI_Status *status);
int MPI_File_iread_c(MPI_File file, void *buf, MPI_Count count, MPI_Datatype type, MPI_Request *request);
int MPI_File_read_all(MPI_File file, void *buf, int count, MPI_Datatype type, MPI_Status *status);
int MPI_File_iread_all(MPI_File file, void *buf, int count, MPI_Datatype type, MPI_Request *request);
int MPI_File_read_all_c(MPI_File file, void *buf, MPI_Count count, MPI_Datatype type, MPI_Status *status);
int MPI_File_iread_all_c(MPI_File file, void *buf, MPI_Count count, MPI_Datatype type, MPI_Request *request);
int MPI_File_read_shared(MPI_File file, void *buf, int count, MPI_Datatype type, MPI_Status *status);
int MPI_File_iread_shared(MPI_File file, void *buf, int count, MPI_Datatype type, MPI_Request *request);
int MPI_File_read_shared_c(MPI_File file, void *buf, MPI_Count count, MPI_Datatype type, MPI_Status *status);
int MPI_File_iread_shared_c(MPI_File file, void *buf, MPI_Count count, MPI_Datatype type, MPI_Request *request);
int MPI_File_read_ordered(MPI_File file, void *buf, int count, MPI_Datatype type, MPI_Status *status);
int MPI_File_read_ordered_c(MPI_File file, void *buf, MPI_Count count, MPI_Datatype type, MPI_Status *status);
int MPI_File_read_at_all_begin(MPI_File file, MPI_Offset offset, void *buf, int count, MPI_Datatype type);
int MPI_File_read_at_all_begin_c(MPI_File file, MPI_Offset offset, void *buf, MPI_Count count, MPI_Datatype type);
int MPI_File_read_at_all_end(MPI_File file, void *buf, MPI_Status *status);
int MPI_File_read_all_begin(MPI_File file, void *buf, int count, MPI_Datatype type);
int MPI_File_read_all_begin_c(MPI_File file, void *buf, MPI_Count count, MPI_Datatype type);
int MPI_File_read_all_end(MPI_File file, void *buf, MPI_Status *status);
int MPI_File_read_ordered_begin(MPI_File file, void *buf, int count, MPI_Datatype type);
int MPI_File_read_ordered_begin_c(MPI_File file, void *buf, MPI_Count count, MPI_Datatype type);
int MPI_File_read_ordered_end(MPI_File file, void *buf, MPI_Status *status);
int MPI_File_write_at(MPI_File file, MPI_Offset offset, const void *buf, int count, MPI_Datatype type, MPI_Status
    *status);
int MPI_File_iwrite_at(MPI_File file, MPI_Offset offset, const void *buf, int count, MPI_Datatype type, MPI_Request
    *request);
int MPI_File_write_at_c(MPI_File file, MPI_Offset offset, const void *buf, MPI_Count count, MPI_Datatype type,
    MPI_Status *status);
int MPI_File_iwrite_at_c(MPI_File file, MPI_Offset offset, const void *buf, MPI_Count count, MPI_Datatype type,
    MPI_Request *request);
int MPI_File_write_at_all(MPI_File file, MPI_Offset offset, const void *buf, int count, MPI_Datatype type, MPI_Status
    *status);
int MPI_File_iwrite_at_all(MPI_File file, MPI_Offset offset, const void *buf, int count, MPI_Datatype type,
    MPI_Request *request);
int MPI_File_write_at_all_c(MPI_File file, MPI_Offset offset, const void *buf, MPI_Count count, MPI_Datatype type,
    MPI_Status *status);
int MPI_File_iwrite_at_all_c(MPI_File file, MPI_Offset offset, const void *buf, MPI_Count count, MPI_Datatype type,
    MPI_Request *request);
int MPI_File_write(MPI_File file, const void *buf, int count, MPI_Datatype type, MPI_Status *status);
int MPI_File_iwrite(MPI_File file, const void *buf, int count, MPI_Datatype type, MPI_Request *request);
int MPI_File_write_c(MPI_File file, const void *buf, MPI_Count count, MPI_Datatype type, MPI_Status *status);
int MPI_File_iwrite_c(MPI_File file, const void *buf, MPI_Count count, MPI_Datatype type, MPI_Request *request);
int MPI_File_write_all(MPI_File file, const void *buf, int count, MPI_Datatype type, MPI_Status *status);
int MPI_File_iwrite_all(MPI_File file, const void *buf, int count, MPI_Datatype type, MPI_Request *request);
int MPI_File_write_all_c(MPI_File file, const void *buf, MPI_Count count, MPI_Datatype type, MPI_Status *status);
int MPI_File_iwrite_all_c(MPI_File file, const void *buf, MPI_Count count, MPI_Datatype type, MPI_Request *request);
int MPI_File_write_shared(MPI_File file, const void *buf, int count, MPI_Datatype type, MPI_Status *status);
int MPI_File_iwrite_shared(MPI_File file, const void *buf, int count, MPI_Datatype type, MPI_Request *request);
int MPI_File_write_shared_c(MPI_File file, const void *buf, MPI_Count count, MPI_Datatype type, MPI_Status *status);
int MPI_File_iwrite_shared_c(MPI_File file, const void *buf, MPI_Count count, MPI_Datatype type, MPI_Request
    *request);
int MPI_File_write_ordered(MPI_File file, const void *buf, int count, MPI_Datatype type, MPI_Status *status);
int MPI_File_write_ordered_c(MPI_File file, const void *buf, MPI_Count count, MPI_Datatype type, MPI_Status *status);
int MPI_File_write_at_all_begin(MPI_File file, MPI_Offset offset, const void *buf, int count, MPI_Datatype type);
int MPI_File_write_at_all_begin_c(MPI_File file, MPI_Offset offset, const void *buf, MPI_Count count, MPI_Datatype
    type);
int MPI_File_write_at_all_end(MPI_File file, const void *buf, MPI_Status *status);
int MPI_File_write_all_begin(MPI_File file, const void *buf, int count, MPI_Datatype type);
int MPI_File_write_all_begin_c(MPI_File file, const void *buf, MPI_Count count, MPI_Datatype type);
int MPI_File_write_all_end(MPI_File file, const void *buf, MPI_Status *status);
int MPI_File_write_ordered_begin(MPI_File file, const void *buf, int count, MPI_Datatype type);
int MPI_File_write_ordered_begin_c(MPI_File file, const void *buf, MPI_Count count, MPI_Datatype type);
int MPI_File_write_ordered_end(MPI_File file, const void *buf, MPI_Status *status);

/* ---- one-sided communication (chapter 12) ---- */

int MPI_Put(const void *origin, int origin_count, MPI_Datatype origin_type, int target, MPI_Aint disp, int
    target_count, MPI_Datatype target_type, MPI_Win win);
int MPI_Put_c(const void *origin, MPI_Count origin_count, MPI_Datatype origin_type, int target, MPI_Aint disp,
    MPI_Count target_count, MPI_Datatype target_type, MPI_Win win);
int MPI_Get(void *origin, int origin_count, MPI_Datatype origin_type, int target, MPI_Aint disp, int target_count,
    MPI_Datatype target_type, MPI_Win win);
int MPI_Get_c(void *origin, MPI_Count origin_count, MPI_Datatype origin_type, int target, MPI_Aint disp, MPI_Count
    target_count, MPI_Datatype target_type, MPI_Win win);
int MPI_Accumulate(const void *origin, int origin_count, MPI_Datatype origin_type, int target, MPI_Aint disp, int
    target_count, MPI_Datatype target_type, MPI_Op op, MPI_Win win);
int MPI_Accumulate_c(const void *origin, MPI_Count origin_count, MPI_Datatype origin_type, int target, MPI_Aint disp,
    MPI_Count target_count, MPI_Datatype target_type, MPI_Op op, MPI_Win win);
int MPI_Get_accumulate(const void *origin, int origin_count, MPI_Datatype origin_type, void *result, int result_count,
    MPI_Datatype result_type, int target, MPI_Aint disp, int target_count, MPI_Datatype target_type, MPI_Op op,
    MPI_Win win);
int MPI_Get_accumulate_c(const void *origin, MPI_Count origin_count, MPI_Datatype origin_type, void *result, MPI_Count
    result_count, MPI_Datatype result_type, int target, MPI_Aint disp, MPI_Count target_count, MPI_Datatype
    target_type, MPI_Op op, MPI_Win win);
int MPI_Rput(const void *origin, int origin_count, MPI_Datatype origin_type, int target, MPI_Aint disp, int
    target_count, MPI_Datatype target_type, MPI_Win win, MPI_Request *request);
int MPI_Rput_c(const void *origin, MPI_Count origin_count, MPI_Datatype origin_type, int target, MPI_Aint disp,
    MPI_Count target_count, MPI_Datatype target_type, MPI_Win win, MPI_Request *request);
int MPI_Rget(void *origin, int origin_count, MPI_Datatype origin_type, int target, MPI_Aint disp, int target_count,
    MPI_Datatype target_type, MPI_Win win, MPI_Request *request);
int MPI_Rget_c(void *origin, MPI_Count origin_count, MPI_Datatype origin_type, int target, MPI_Aint disp, MPI_Count
    target_count, MPI_Datatype target_type, MPI_Win win, MPI_Request *request);
int MPI_Raccumulate(const void *origin, int origin_count, MPI_Datatype origin_type, int target, MPI_Aint disp, int
    target_count, MPI_Datatype target_type, MPI_Op op, MPI_Win win, MPI_Request *request);
int MPI_Raccumulate_c(const void *origin, MPI_Count origin_count, MPI_Datatype origin_type, int target, MPI_Aint disp,
    MPI_Count target_count, MPI_Datatype target_type, MPI_Op op, MPI_Win win, MPI_Request *request);
int MPI_Rget_accumulate(const void *origin, int origin_count, MPI_Datatype origin_type, void *result, int
    result_count, MPI_Datatype result_type, int target, MPI_Aint disp, int target_count, MPI_Datatype target_type,
    MPI_Op op, MPI_Win win, MPI_Request *request);
int MPI_Rget_accumulate_c(const void *origin, MPI_Count origin_count, MPI_Datatype origin_type, void *result,
    MPI_Count result_count, MPI_Datatype result_type, int target, MPI_Aint disp, MPI_Count target_count, MPI_Datatype
    target_type, MPI_Op op, MPI_Win win, MPI_Request *request);
int MPI_Fetch_and_op(const void *origin, void *result, MPI_Datatype type, int target, MPI_Aint disp, MPI_Op op,
    MPI_Win win);
int MPI_Compare_and_swap(const void *origin, const void *compare, void *result, MPI_Datatype type, int target,
    MPI_Aint disp, MPI_Win win);
int MPI_Win_create(void *base, MPI_Aint size, int unit, MPI_Info info, MPI_Comm comm, MPI_Win *win);
int MPI_Win_allocate(MPI_Aint size, int unit, MPI_Info info, MPI_Comm comm, void *base, MPI_Win *win);
int MPI_Win_allocate_shared(MPI_Aint size, int unit, MPI_Info info, MPI_Comm comm, void *base, MPI_Win *win);
int MPI_Win_shared_query(MPI_Win win, int rank, MPI_Aint *size, int *unit, void *base);
int MPI_Win_create_c(void *base, MPI_Aint size, MPI_Aint unit, MPI_Info info, MPI_Comm comm, MPI_Win *win);
int MPI_Win_allocate_c(MPI_Aint size, MPI_Aint unit, MPI_Info info, MPI_Comm comm, void *base, MPI_Win *win);
int MPI_Win_allocate_shared_c(MPI_Aint size, MPI_Aint unit, MPI_Info info, MPI_Comm comm, void *base, MPI_Win *win);
int MPI_Win_shared_query_c(MPI_Win win, int rank, MPI_Aint *size, MPI_Aint *unit, void *base);
int MPI_Win_create_dynamic(MPI_Info info, MPI_Comm comm, MPI_Win *win);
int MPI_Win_attach(MPI_Win win, void *base, MPI_Aint size);
int MPI_Win_detach(MPI_Win win, const void *base);
int MPI_Win_free(MPI_Win *win);
int MPI_Win_fence(int assertion, MPI_Win win);
int MPI_Win_post(MPI_Group group, int assertion, MPI_Win win);
int MPI_Win_start(MPI_Group group, int assertion, MPI_Win win);
int MPI_Win_complete(MPI_Win win);
int MPI_Win_wait(MPI_Win win);
int MPI_Win_unlock_all(MPI_Win win);
int MPI_Win_flush_all(MPI_Win win);
int MPI_Win_flush_local_all(MPI_Win win);
int MPI_Win_sync(MPI_Win win);
int MPI_Win_test(MPI_Win win, int *flag);
int MPI_Win_lock(int kind, int rank, int assertion, MPI_Win win);
int MPI_Win_lock_all(int assertion, MPI_Win win);
int MPI_Win_unlock(int rank, MPI_Win win);
int MPI_Win_flush(int rank, MPI_Win win);
int MPI_Win_flush_local(int rank, MPI_Win win);
int MPI_Win_get_group(MPI_Win win, MPI_Group *group);
int MPI_Win_set_info(MPI_Win win, MPI_Info info);
int MPI_Win_get_info(MPI_Win win, MPI_Info *info);
int MPI_Win_set_name(MPI_Win win, const char *name);
int MPI_Win_get_name(MPI_Win win, char *name, int *len);
int MPI_Win_create_keyval(MPI_Win_copy_attr_function *copy, MPI_Win_delete_attr_function *del, int *keyval, void
    *extra);
int MPI_Win_free_keyval(int *keyval);
int MPI_Win_set_attr(MPI_Win win, int keyval, void *value);
int MPI_Win_get_attr(MPI_Win win, int keyval, void *value, int *flag);
int MPI_Win_delete_attr(MPI_Win win, int keyval);
int MPI_Win_create_errhandler(MPI_Win_errhandler_function *fn, MPI_Errhandler *handler);
int MPI_Win_set_errhandler(MPI_Win win, MPI_Errhandler handler);
int MPI_Win_get_errhandler(MPI_Win win, MPI_Errhandler *handler);
int MPI_Win_call_errhandler(MPI_Win win, int code);

/* ---- handles as Fortran has them (chapter 17) ---- */

MPI_Fint MPI_Comm_c2f(MPI_Comm handle);
MPI_Comm MPI_Comm_f2c(MPI_Fint handle);
MPI_Fint MPI_Type_c2f(MPI_Datatype handle);
MPI_Datatype MPI_Type_f2c(MPI_Fint handle);
MPI_Fint MPI_Group_c2f(MPI_Group handle);
MPI_Group MPI_Group_f2c(MPI_Fint handle);
MPI_Fint MPI_Op_c2f(MPI_Op handle);
MPI_Op MPI_Op_f2c(MPI_Fint handle);
MPI_Fint MPI_Request_c2f(MPI_Request handle);
MPI_Request MPI_Request_f2c(MPI_Fint handle);
MPI_Fint MPI_Message_c2f(MPI_Message handle);
MPI_Message MPI_Message_f2c(MPI_Fint handle);
MPI_Fint MPI_Errhandler_c2f(MPI_Errhandler handle);
MPI_Errhandler MPI_Errhandler_f2c(MPI_Fint handle);
MPI_Fint MPI_Info_c2f(MPI_Info handle);
MPI_Info MPI_Info_f2c(MPI_Fint handle);
MPI_Fint MPI_File_c2f(MPI_File handle);
MPI_File MPI_File_f2c(MPI_Fint handle);
MPI_Fint MPI_Win_c2f(MPI_Win handle);
MPI_Win MPI_Win_f2c(MPI_Fint handle);
int MPI_Comm_toint(MPI_Comm handle);
MPI_Comm MPI_Comm_fromint(int handle);
int MPI_Type_toint(MPI_Datatype handle);
MPI_Datatype MPI_Type_fromint(int handle);
int MPI_Group_toint(MPI_Group handle);
MPI_Group MPI_Group_fromint(int handle);
int MPI_Op_toint(MPI_Op handle);
MPI_Op MPI_Op_fromint(int handle);
int MPI_Request_toint(MPI_Request handle);
MPI_Request MPI_Request_fromint(int handle);
int MPI_Message_toint(MPI_Message handle);
MPI_Message MPI_Message_fromint(int handle);
int MPI_Errhandler_toint(MPI_Errhandler handle);
MPI_Errhandler MPI_Errhandler_fromint(int handle);
int MPI_Info_toint(MPI_Info handle);
MPI_Info MPI_Info_fromint(int handle);
int MPI_File_toint(MPI_File handle);
MPI_File MPI_File_fromint(int handle);
int MPI_Session_toint(MPI_Session handle);
MPI_Session MPI_Session_fromint(int handle);
int MPI_Win_toint(MPI_Win handle);
MPI_Win MPI_Win_fromint(int handle);
int MPI_Status_c2f(const MPI_Status *from, MPI_Fint *to);
int MPI_Status_f2c(const MPI_Fint *from, MPI_Status *to);
int MPI_Status_c2f08(const MPI_Status *from, MPI_F08_status *to);
int MPI_Status_f082c(const MPI_F08_status *from, MPI_Status *to);
int MPI_Status_f2f08(const MPI_Fint *from, MPI_F08_status *to);
int MPI_Status_f082f(const MPI_F08_status *from, MPI_Fint *to);
#define MPI_F_STATUS_SIZE 8
#define MPI_F_SOURCE 0
#define MPI_F_TAG 1
#define MPI_F_ERROR 2
#define MPI_F_STATUS_IGNORE ((MPI_Fint *)0)
#define MPI_F_STATUSES_IGNORE ((MPI_Fint *)0)
#define MPI_F08_STATUS_IGNORE ((MPI_F08_status *)0)
#define MPI_F08_STATUSES_IGNORE ((MPI_F08_status *)0)

/* ---- messages and datatypes with large counts (MPI 4.1) ---- */

int MPI_Send_c(const void *buf, MPI_Count count, MPI_Datatype type, int dest, int tag, MPI_Comm comm);
int MPI_Isend_c(const void *buf, MPI_Count count, MPI_Datatype type, int dest, int tag, MPI_Comm comm, MPI_Request
    *request);
int MPI_Send_init_c(const void *buf, MPI_Count count, MPI_Datatype type, int dest, int tag, MPI_Comm comm, MPI_Request
    *request);
int MPI_Bsend_c(const void *buf, MPI_Count count, MPI_Datatype type, int dest, int tag, MPI_Comm comm);
int MPI_Ibsend_c(const void *buf, MPI_Count count, MPI_Datatype type, int dest, int tag, MPI_Comm comm, MPI_Request
    *request);
int MPI_Bsend_init_c(const void *buf, MPI_Count count, MPI_Datatype type, int dest, int tag, MPI_Comm comm,
    MPI_Request *request);
int MPI_Ssend_c(const void *buf, MPI_Count count, MPI_Datatype type, int dest, int tag, MPI_Comm comm);
int MPI_Issend_c(const void *buf, MPI_Count count, MPI_Datatype type, int dest, int tag, MPI_Comm comm, MPI_Request
    *request);
int MPI_Ssend_init_c(const void *buf, MPI_Count count, MPI_Datatype type, int dest, int tag, MPI_Comm comm,
    MPI_Request *request);
int MPI_Rsend_c(const void *buf, MPI_Count count, MPI_Datatype type, int dest, int tag, MPI_Comm comm);
int MPI_Irsend_c(const void *buf, MPI_Count count, MPI_Datatype type, int dest, int tag, MPI_Comm comm, MPI_Request
    *request);
int MPI_Rsend_init_c(const void *buf, MPI_Count count, MPI_Datatype type, int dest, int tag, MPI_Comm comm,
    MPI_Request *request);
int MPI_Recv_c(void *buf, MPI_Count count, MPI_Datatype type, int source, int tag, MPI_Comm comm, MPI_Status *status);
int MPI_Irecv_c(void *buf, MPI_Count count, MPI_Datatype type, int source, int tag, MPI_Comm comm, MPI_Request
    *request);
int MPI_Recv_init_c(void *buf, MPI_Count count, MPI_Datatype type, int source, int tag, MPI_Comm comm, MPI_Request
    *request);
int MPI_Sendrecv_c(const void *sendbuf, MPI_Count sendcount, MPI_Datatype sendtype, int dest, int sendtag, void
    *recvbuf, MPI_Count recvcount, MPI_Datatype recvtype, int source, int recvtag, MPI_Comm comm, MPI_Status *status);
int MPI_Sendrecv_replace_c(void *buf, MPI_Count count, MPI_Datatype type, int dest, int sendtag, int source, int
    recvtag, MPI_Comm comm, MPI_Status *status);
int MPI_Isendrecv(const void *sendbuf, int sendcount, MPI_Datatype sendtype, int dest, int sendtag, void *recvbuf, int
    recvcount, MPI_Datatype recvtype, int source, int recvtag, MPI_Comm comm, MPI_Request *request);
int MPI_Isendrecv_replace(void *buf, int count, MPI_Datatype type, int dest, int sendtag, int source, int recvtag,
    MPI_Comm comm, MPI_Request *request);
int MPI_Isendrecv_c(const void *sendbuf, MPI_Count sendcount, MPI_Datatype sendtype, int dest, int sendtag, void
    *recvbuf, MPI_Count recvcount, MPI_Datatype recvtype, int source, int recvtag, MPI_Comm comm, MPI_Request
    *request);
int MPI_Isendrecv_replace_c(void *buf, MPI_Count count, MPI_Datatype type, int dest, int sendtag, int source, int
    recvtag, MPI_Comm comm, MPI_Request *request);
int MPI_Type_contiguous_c(MPI_Count count, MPI_Datatype old, MPI_Datatype *type);
int MPI_Type_vector_c(MPI_Count count, MPI_Count blocklen, MPI_Count stride, MPI_Datatype old, MPI_Datatype *type);
int MPI_Type_create_hvector_c(MPI_Count count, MPI_Count blocklen, MPI_Count stride, MPI_Datatype old, MPI_Datatype
    *type);
int MPI_Type_indexed_c(MPI_Count count, const MPI_Count blocklens[], const MPI_Count displs[], MPI_Datatype old,
    MPI_Datatype *type);
int MPI_Type_create_hindexed_c(MPI_Count count, const MPI_Count blocklens[], const MPI_Count displs[], MPI_Datatype
    old, MPI_Datatype *type);
int MPI_Type_create_indexed_block_c(MPI_Count count, MPI_Count blocklen, const MPI_Count displs[], MPI_Datatype old,
    MPI_Datatype *type);
int MPI_Type_create_hindexed_block_c(MPI_Count count, MPI_Count blocklen, const MPI_Count displs[], MPI_Datatype old,
    MPI_Datatype *type);
int MPI_Type_create_struct_c(MPI_Count count, const MPI_Count blocklens[], const MPI_Count displs[], const
    MPI_Datatype types[], MPI_Datatype *type);
int MPI_Type_create_resized_c(MPI_Datatype old, MPI_Count lb, MPI_Count extent, MPI_Datatype *type);
int MPI_Type_create_subarray_c(int ndims, const MPI_Count sizes[], const MPI_Count subsizes[], const MPI_Count
    starts[], int order, MPI_Datatype old, MPI_Datatype *type);
int MPI_Type_create_darray_c(int size, int rank, int ndims, const MPI_Count gsizes[], const int distribs[], const int
    dargs[], const int psizes[], int order, MPI_Datatype old, MPI_Datatype *type);
int MPI_Type_size_c(MPI_Datatype type, MPI_Count *size);
int MPI_Type_get_extent_c(MPI_Datatype type, MPI_Count *lb, MPI_Count *extent);
int MPI_Type_get_true_extent_c(MPI_Datatype type, MPI_Count *lb, MPI_Count *extent);
int MPI_Type_get_envelope_c(MPI_Datatype type, MPI_Count *nints, MPI_Count *naddrs, MPI_Count *ncounts, MPI_Count
    *ntypes, int *combiner);
int MPI_Type_get_contents_c(MPI_Datatype type, MPI_Count maxints, MPI_Count maxaddrs, MPI_Count maxcounts, MPI_Count
    maxtypes, int ints[], MPI_Aint addrs[], MPI_Count counts[], MPI_Datatype types[]);
int MPI_Buffer_attach_c(void *buf, MPI_Count size);
int MPI_Buffer_detach_c(void *buf, MPI_Count *size);
int MPI_Get_count_c(const MPI_Status *status, MPI_Datatype type, MPI_Count *count);
int MPI_Get_elements_c(const MPI_Status *status, MPI_Datatype type, MPI_Count *count);
int MPI_Status_set_elements_c(MPI_Status *status, MPI_Datatype type, MPI_Count count);
int MPI_Pack_c(const void *in, MPI_Count incount, MPI_Datatype type, void *out, MPI_Count outsize, MPI_Count *position,
    MPI_Comm comm);
int MPI_Unpack_c(const void *in, MPI_Count insize, MPI_Count *position, void *out, MPI_Count outcount, MPI_Datatype type,
    MPI_Comm comm);
int MPI_Pack_size_c(MPI_Count incount, MPI_Datatype type, MPI_Comm comm, MPI_Count *size);

/* ---- names of MPI-1 (chapters 15 and 16), kept for old programs ---- */

int MPI_Address(void *location, MPI_Aint *address);
int MPI_Type_hvector(int count, int blocklen, MPI_Aint stride, MPI_Datatype old, MPI_Datatype *type);
int MPI_Type_hindexed(int count, int blocklens[], MPI_Aint displs[], MPI_Datatype old, MPI_Datatype *type);
int MPI_Type_struct(int count, int blocklens[], MPI_Aint displs[], MPI_Datatype types[], MPI_Datatype *type);
int MPI_Type_extent(MPI_Datatype type, MPI_Aint *extent);
int MPI_Type_lb(MPI_Datatype type, MPI_Aint *lb);
int MPI_Type_ub(MPI_Datatype type, MPI_Aint *ub);
int MPI_Keyval_create(MPI_Copy_function *copy, MPI_Delete_function *del, int *keyval, void *extra);
int MPI_Keyval_free(int *keyval);
int MPI_Attr_put(MPI_Comm comm, int keyval, void *value);
int MPI_Attr_get(MPI_Comm comm, int keyval, void *value, int *flag);
int MPI_Attr_delete(MPI_Comm comm, int keyval);
int MPI_Errhandler_create(MPI_Handler_function *fn, MPI_Errhandler *handler);
int MPI_Errhandler_set(MPI_Comm comm, MPI_Errhandler handler);
int MPI_Errhandler_get(MPI_Comm comm, MPI_Errhandler *handler);

/* ---- the tool information interface (chapter 14): there are no variables ---- */

typedef struct MPI_ABI_T_enum *MPI_T_enum;
typedef struct MPI_ABI_T_cvar_handle *MPI_T_cvar_handle;
typedef struct MPI_ABI_T_pvar_handle *MPI_T_pvar_handle;
typedef struct MPI_ABI_T_pvar_session *MPI_T_pvar_session;

#define MPI_T_ENUM_NULL            ((MPI_T_enum)0)
#define MPI_T_CVAR_HANDLE_NULL     ((MPI_T_cvar_handle)0)
#define MPI_T_PVAR_HANDLE_NULL     ((MPI_T_pvar_handle)0)
#define MPI_T_PVAR_ALL_HANDLES     ((MPI_T_pvar_handle)1)
#define MPI_T_PVAR_SESSION_NULL    ((MPI_T_pvar_session)0)
#define MPI_T_ERR_CANNOT_INIT          1001
#define MPI_T_ERR_NOT_ACCESSIBLE       1002
#define MPI_T_ERR_NOT_INITIALIZED      1003
#define MPI_T_ERR_NOT_SUPPORTED        1004
#define MPI_T_ERR_MEMORY               1005
#define MPI_T_ERR_INVALID              1006
#define MPI_T_ERR_INVALID_INDEX        1007
#define MPI_T_ERR_INVALID_ITEM         1008
#define MPI_T_ERR_INVALID_SESSION      1009
#define MPI_T_ERR_INVALID_HANDLE       1010
#define MPI_T_ERR_INVALID_NAME         1011
#define MPI_T_ERR_OUT_OF_HANDLES       1012
#define MPI_T_ERR_OUT_OF_SESSIONS      1013
#define MPI_T_ERR_CVAR_SET_NOT_NOW     1014
#define MPI_T_ERR_CVAR_SET_NEVER       1015
#define MPI_T_ERR_PVAR_NO_WRITE        1016
#define MPI_T_ERR_PVAR_NO_STARTSTOP    1017
#define MPI_T_ERR_PVAR_NO_ATOMIC       1018
#define MPI_T_VERBOSITY_USER_BASIC     21
#define MPI_T_VERBOSITY_USER_DETAIL    22
#define MPI_T_VERBOSITY_USER_ALL       23
#define MPI_T_VERBOSITY_TUNER_BASIC    24
#define MPI_T_VERBOSITY_TUNER_DETAIL   25
#define MPI_T_VERBOSITY_TUNER_ALL      26
#define MPI_T_VERBOSITY_MPIDEV_BASIC   27
#define MPI_T_VERBOSITY_MPIDEV_DETAIL  28
#define MPI_T_VERBOSITY_MPIDEV_ALL     29
#define MPI_T_BIND_NO_OBJECT           31
#define MPI_T_BIND_MPI_COMM            32
#define MPI_T_BIND_MPI_DATATYPE        33
#define MPI_T_BIND_MPI_ERRHANDLER      34
#define MPI_T_BIND_MPI_FILE            35
#define MPI_T_BIND_MPI_GROUP           36
#define MPI_T_BIND_MPI_OP              37
#define MPI_T_BIND_MPI_REQUEST         38
#define MPI_T_BIND_MPI_WIN             39
#define MPI_T_BIND_MPI_MESSAGE         40
#define MPI_T_BIND_MPI_INFO            41
#define MPI_T_BIND_MPI_SESSION         42
#define MPI_T_SCOPE_CONSTANT           51
#define MPI_T_SCOPE_READONLY           52
#define MPI_T_SCOPE_LOCAL              53
#define MPI_T_SCOPE_GROUP              54
#define MPI_T_SCOPE_GROUP_EQ           55
#define MPI_T_SCOPE_ALL                56
#define MPI_T_SCOPE_ALL_EQ             57
#define MPI_T_PVAR_CLASS_STATE         61
#define MPI_T_PVAR_CLASS_LEVEL         62
#define MPI_T_PVAR_CLASS_SIZE          63
#define MPI_T_PVAR_CLASS_PERCENTAGE    64
#define MPI_T_PVAR_CLASS_HIGHWATERMARK 65
#define MPI_T_PVAR_CLASS_LOWWATERMARK  66
#define MPI_T_PVAR_CLASS_COUNTER       67
#define MPI_T_PVAR_CLASS_AGGREGATE     68
#define MPI_T_PVAR_CLASS_TIMER         69
#define MPI_T_PVAR_CLASS_GENERIC       70

int MPI_T_init_thread(int required, int *provided);
int MPI_T_finalize(void);
int MPI_T_enum_get_info(MPI_T_enum type, int *num, char *name, int *namelen);
int MPI_T_enum_get_item(MPI_T_enum type, int index, int *value, char *name, int *namelen);
int MPI_T_cvar_get_num(int *num);
int MPI_T_cvar_get_info(int index, char *name, int *namelen, int *verbosity, MPI_Datatype *type, MPI_T_enum *enumtype,
    char *desc, int *desclen, int *bind, int *scope);
int MPI_T_cvar_get_index(const char *name, int *index);
int MPI_T_cvar_handle_alloc(int index, void *object, MPI_T_cvar_handle *handle, int *count);
int MPI_T_cvar_handle_free(MPI_T_cvar_handle *handle);
int MPI_T_cvar_read(MPI_T_cvar_handle handle, void *buf);
int MPI_T_cvar_write(MPI_T_cvar_handle handle, const void *buf);
int MPI_T_pvar_get_num(int *num);
int MPI_T_pvar_get_info(int index, char *name, int *namelen, int *verbosity, int *varclass, MPI_Datatype *type,
    MPI_T_enum *enumtype, char *desc, int *desclen, int *bind, int *readonly, int *continuous, int *atomic);
int MPI_T_pvar_get_index(const char *name, int varclass, int *index);
int MPI_T_pvar_session_create(MPI_T_pvar_session *session);
int MPI_T_pvar_session_free(MPI_T_pvar_session *session);
int MPI_T_pvar_handle_alloc(MPI_T_pvar_session session, int index, void *object, MPI_T_pvar_handle *handle, int *count);
int MPI_T_pvar_handle_free(MPI_T_pvar_session session, MPI_T_pvar_handle *handle);
int MPI_T_pvar_start(MPI_T_pvar_session session, MPI_T_pvar_handle handle);
int MPI_T_pvar_stop(MPI_T_pvar_session session, MPI_T_pvar_handle handle);
int MPI_T_pvar_read(MPI_T_pvar_session session, MPI_T_pvar_handle handle, void *buf);
int MPI_T_pvar_write(MPI_T_pvar_session session, MPI_T_pvar_handle handle, const void *buf);
int MPI_T_pvar_reset(MPI_T_pvar_session session, MPI_T_pvar_handle handle);
int MPI_T_pvar_readreset(MPI_T_pvar_session session, MPI_T_pvar_handle handle, void *buf);
int MPI_T_category_get_num(int *num);
int MPI_T_category_get_info(int index, char *name, int *namelen, char *desc, int *desclen, int *cvars, int *pvars,
    int *categories);
int MPI_T_category_get_index(const char *name, int *index);
int MPI_T_category_get_cvars(int index, int len, int indices[]);
int MPI_T_category_get_pvars(int index, int len, int indices[]);
int MPI_T_category_get_categories(int index, int len, int indices[]);
/* There are no events, and no sources of them. */
typedef struct MPI_ABI_T_event_registration *MPI_T_event_registration;
typedef struct MPI_ABI_T_event_instance *MPI_T_event_instance;
typedef enum {
    MPI_T_CB_REQUIRE_NONE = 0x00,
    MPI_T_CB_REQUIRE_MPI_RESTRICTED = 0x03,
    MPI_T_CB_REQUIRE_THREAD_SAFE = 0x0f,
    MPI_T_CB_REQUIRE_ASYNC_SIGNAL_SAFE = 0x3f
} MPI_T_cb_safety;
typedef enum { MPI_T_SOURCE_ORDERED = 1, MPI_T_SOURCE_UNORDERED = 2 } MPI_T_source_order;
typedef void(MPI_T_event_cb_function)(MPI_T_event_instance, MPI_T_event_registration, MPI_T_cb_safety, void *data);
typedef void(MPI_T_event_free_cb_function)(MPI_T_event_registration, MPI_T_cb_safety, void *data);
typedef void(MPI_T_event_dropped_cb_function)(MPI_Count, MPI_T_event_registration, int source, MPI_T_cb_safety, void *data);
int MPI_T_category_get_num_events(int index, int *num);
int MPI_T_category_get_events(int index, int len, int indices[]);
int MPI_T_event_get_num(int *num);
int MPI_T_event_get_info(int index, char *name, int *name_len, int *verbosity, MPI_Datatype types[], MPI_Aint displs[],
    int *num_elements, MPI_T_enum *enumtype, MPI_Info *info, char *desc, int *desc_len, int *bind);
int MPI_T_event_get_index(const char *name, int *index);
int MPI_T_event_handle_alloc(int index, void *object, MPI_Info info, MPI_T_event_registration *registration);
int MPI_T_event_handle_free(MPI_T_event_registration registration, void *data, MPI_T_event_free_cb_function *fn);
int MPI_T_event_handle_get_info(MPI_T_event_registration registration, MPI_Info *info);
int MPI_T_event_handle_set_info(MPI_T_event_registration registration, MPI_Info info);
int MPI_T_event_register_callback(MPI_T_event_registration registration, MPI_T_cb_safety safety, MPI_Info info,
    void *data, MPI_T_event_cb_function *fn);
int MPI_T_event_callback_get_info(MPI_T_event_registration registration, MPI_T_cb_safety safety, MPI_Info *info);
int MPI_T_event_callback_set_info(MPI_T_event_registration registration, MPI_T_cb_safety safety, MPI_Info info);
int MPI_T_event_set_dropped_handler(MPI_T_event_registration registration, MPI_T_event_dropped_cb_function *fn);
int MPI_T_event_read(MPI_T_event_instance instance, int element, void *buf);
int MPI_T_event_copy(MPI_T_event_instance instance, void *buf);
int MPI_T_event_get_timestamp(MPI_T_event_instance instance, MPI_Count *time);
int MPI_T_event_get_source(MPI_T_event_instance instance, int *source);
int MPI_T_source_get_num(int *num);
int MPI_T_source_get_info(int source, char *name, int *name_len, char *desc, int *desc_len, MPI_T_source_order *order,
    MPI_Count *ticks_per_second, MPI_Count *max_ticks, MPI_Info *info);
int MPI_T_source_get_timestamp(int source, MPI_Count *time);
int MPI_T_category_changed(int *stamp);

/* ---- the profiling interface (chapter 14): each function under a second name, which programs do not define ---- */

#define PC3_P(f) extern __typeof__(f) P##f;
PC3_P(MPI_Wtime) PC3_P(MPI_Wtick) PC3_P(MPI_Init) PC3_P(MPI_Init_thread) PC3_P(MPI_Initialized) PC3_P(MPI_Finalize)
PC3_P(MPI_Finalized) PC3_P(MPI_Query_thread) PC3_P(MPI_Is_thread_main) PC3_P(MPI_Abort) PC3_P(MPI_Get_version)
PC3_P(MPI_Get_library_version) PC3_P(MPI_Get_processor_name) PC3_P(MPI_Alloc_mem) PC3_P(MPI_Free_mem)
PC3_P(MPI_Pcontrol) PC3_P(MPI_Error_class) PC3_P(MPI_Error_string) PC3_P(MPI_Add_error_class)
PC3_P(MPI_Add_error_code) PC3_P(MPI_Add_error_string) PC3_P(MPI_Comm_create_errhandler) PC3_P(MPI_Comm_set_errhandler)
PC3_P(MPI_Comm_get_errhandler) PC3_P(MPI_Comm_call_errhandler) PC3_P(MPI_Errhandler_free) PC3_P(MPI_Info_create)
PC3_P(MPI_Info_dup) PC3_P(MPI_Info_free) PC3_P(MPI_Info_set) PC3_P(MPI_Info_get) PC3_P(MPI_Info_get_string)
PC3_P(MPI_Info_create_env) PC3_P(MPI_Info_get_valuelen) PC3_P(MPI_Info_get_nkeys) PC3_P(MPI_Info_get_nthkey)
PC3_P(MPI_Info_delete) PC3_P(MPI_Send) PC3_P(MPI_Bsend) PC3_P(MPI_Ssend) PC3_P(MPI_Rsend) PC3_P(MPI_Recv)
PC3_P(MPI_Isend) PC3_P(MPI_Ibsend) PC3_P(MPI_Issend) PC3_P(MPI_Irsend) PC3_P(MPI_Irecv) PC3_P(MPI_Send_init)
PC3_P(MPI_Bsend_init) PC3_P(MPI_Ssend_init) PC3_P(MPI_Rsend_init) PC3_P(MPI_Recv_init) PC3_P(MPI_Start)
PC3_P(MPI_Startall) PC3_P(MPI_Wait) PC3_P(MPI_Test) PC3_P(MPI_Waitany) PC3_P(MPI_Testany) PC3_P(MPI_Waitall)
PC3_P(MPI_Testall) PC3_P(MPI_Waitsome) PC3_P(MPI_Testsome) PC3_P(MPI_Request_free) PC3_P(MPI_Request_get_status)
PC3_P(MPI_Cancel) PC3_P(MPI_Test_cancelled) PC3_P(MPI_Grequest_start) PC3_P(MPI_Grequest_complete) PC3_P(MPI_Probe)
PC3_P(MPI_Iprobe) PC3_P(MPI_Mprobe) PC3_P(MPI_Improbe) PC3_P(MPI_Mrecv) PC3_P(MPI_Imrecv) PC3_P(MPI_Sendrecv)
PC3_P(MPI_Sendrecv_replace) PC3_P(MPI_Buffer_attach) PC3_P(MPI_Buffer_detach) PC3_P(MPI_Get_count)
PC3_P(MPI_Get_elements) PC3_P(MPI_Get_elements_x) PC3_P(MPI_Status_set_elements) PC3_P(MPI_Status_set_elements_x)
PC3_P(MPI_Status_set_cancelled) PC3_P(MPI_Type_contiguous) PC3_P(MPI_Type_vector) PC3_P(MPI_Type_create_hvector)
PC3_P(MPI_Type_indexed) PC3_P(MPI_Type_create_hindexed) PC3_P(MPI_Type_create_indexed_block)
PC3_P(MPI_Type_create_hindexed_block) PC3_P(MPI_Type_create_struct) PC3_P(MPI_Type_create_subarray)
PC3_P(MPI_Type_create_darray) PC3_P(MPI_Type_create_resized) PC3_P(MPI_Type_dup) PC3_P(MPI_Type_commit)
PC3_P(MPI_Type_free) PC3_P(MPI_Type_size) PC3_P(MPI_Type_size_x) PC3_P(MPI_Type_get_extent)
PC3_P(MPI_Type_get_extent_x) PC3_P(MPI_Type_get_true_extent) PC3_P(MPI_Type_get_true_extent_x)
PC3_P(MPI_Type_get_envelope) PC3_P(MPI_Type_get_contents) PC3_P(MPI_Type_set_name) PC3_P(MPI_Type_get_name)
PC3_P(MPI_Type_create_f90_integer) PC3_P(MPI_Type_create_f90_real) PC3_P(MPI_Type_create_f90_complex)
PC3_P(MPI_Type_match_size) PC3_P(MPI_Type_create_keyval) PC3_P(MPI_Type_free_keyval) PC3_P(MPI_Type_set_attr)
PC3_P(MPI_Type_get_attr) PC3_P(MPI_Type_delete_attr) PC3_P(MPI_Get_address) PC3_P(MPI_Aint_add) PC3_P(MPI_Aint_diff)
PC3_P(MPI_Pack) PC3_P(MPI_Unpack) PC3_P(MPI_Pack_size) PC3_P(MPI_Pack_external) PC3_P(MPI_Unpack_external)
PC3_P(MPI_Pack_external_size) PC3_P(MPI_Pack_external_c) PC3_P(MPI_Unpack_external_c) PC3_P(MPI_Pack_external_size_c)
PC3_P(MPI_Barrier) PC3_P(MPI_Bcast) PC3_P(MPI_Gather) PC3_P(MPI_Gatherv) PC3_P(MPI_Scatter) PC3_P(MPI_Scatterv)
PC3_P(MPI_Allgather) PC3_P(MPI_Allgatherv) PC3_P(MPI_Alltoall) PC3_P(MPI_Alltoallv) PC3_P(MPI_Alltoallw)
PC3_P(MPI_Reduce) PC3_P(MPI_Allreduce) PC3_P(MPI_Reduce_scatter) PC3_P(MPI_Reduce_scatter_block) PC3_P(MPI_Scan)
PC3_P(MPI_Exscan) PC3_P(MPI_Reduce_local) PC3_P(MPI_Op_create) PC3_P(MPI_Op_create_c) PC3_P(MPI_Op_free) PC3_P(MPI_Op_commutative)
PC3_P(MPI_Ibarrier) PC3_P(MPI_Ibcast) PC3_P(MPI_Igather) PC3_P(MPI_Igatherv) PC3_P(MPI_Iscatter) PC3_P(MPI_Iscatterv)
PC3_P(MPI_Iallgather) PC3_P(MPI_Iallgatherv) PC3_P(MPI_Ialltoall) PC3_P(MPI_Ialltoallv) PC3_P(MPI_Ialltoallw)
PC3_P(MPI_Ireduce) PC3_P(MPI_Iallreduce) PC3_P(MPI_Ireduce_scatter) PC3_P(MPI_Ireduce_scatter_block) PC3_P(MPI_Iscan)
PC3_P(MPI_Iexscan) PC3_P(MPI_Ineighbor_allgather) PC3_P(MPI_Ineighbor_allgatherv) PC3_P(MPI_Ineighbor_alltoall)
PC3_P(MPI_Ineighbor_alltoallv) PC3_P(MPI_Ineighbor_alltoallw) PC3_P(MPI_Barrier_init) PC3_P(MPI_Bcast_init)
PC3_P(MPI_Gather_init) PC3_P(MPI_Gatherv_init) PC3_P(MPI_Scatter_init) PC3_P(MPI_Scatterv_init)
PC3_P(MPI_Allgather_init) PC3_P(MPI_Allgatherv_init) PC3_P(MPI_Alltoall_init) PC3_P(MPI_Alltoallv_init)
PC3_P(MPI_Alltoallw_init) PC3_P(MPI_Reduce_init) PC3_P(MPI_Allreduce_init) PC3_P(MPI_Reduce_scatter_init)
PC3_P(MPI_Reduce_scatter_block_init) PC3_P(MPI_Scan_init) PC3_P(MPI_Exscan_init) PC3_P(MPI_Neighbor_allgather_init)
PC3_P(MPI_Neighbor_allgatherv_init) PC3_P(MPI_Neighbor_alltoall_init) PC3_P(MPI_Neighbor_alltoallv_init)
PC3_P(MPI_Neighbor_alltoallw_init) PC3_P(MPI_Neighbor_allgather) PC3_P(MPI_Neighbor_allgatherv)
PC3_P(MPI_Neighbor_alltoall) PC3_P(MPI_Neighbor_alltoallv) PC3_P(MPI_Neighbor_alltoallw) PC3_P(MPI_Bcast_c)
PC3_P(MPI_Ibcast_c) PC3_P(MPI_Bcast_init_c) PC3_P(MPI_Gather_c) PC3_P(MPI_Igather_c) PC3_P(MPI_Gather_init_c)
PC3_P(MPI_Gatherv_c) PC3_P(MPI_Igatherv_c) PC3_P(MPI_Gatherv_init_c) PC3_P(MPI_Scatter_c) PC3_P(MPI_Iscatter_c)
PC3_P(MPI_Scatter_init_c) PC3_P(MPI_Scatterv_c) PC3_P(MPI_Iscatterv_c) PC3_P(MPI_Scatterv_init_c)
PC3_P(MPI_Allgather_c) PC3_P(MPI_Iallgather_c) PC3_P(MPI_Allgather_init_c) PC3_P(MPI_Allgatherv_c)
PC3_P(MPI_Iallgatherv_c) PC3_P(MPI_Allgatherv_init_c) PC3_P(MPI_Alltoall_c) PC3_P(MPI_Ialltoall_c)
PC3_P(MPI_Alltoall_init_c) PC3_P(MPI_Alltoallv_c) PC3_P(MPI_Ialltoallv_c) PC3_P(MPI_Alltoallv_init_c)
PC3_P(MPI_Alltoallw_c) PC3_P(MPI_Ialltoallw_c) PC3_P(MPI_Alltoallw_init_c) PC3_P(MPI_Reduce_c) PC3_P(MPI_Ireduce_c)
PC3_P(MPI_Reduce_init_c) PC3_P(MPI_Allreduce_c) PC3_P(MPI_Iallreduce_c) PC3_P(MPI_Allreduce_init_c)
PC3_P(MPI_Reduce_scatter_c) PC3_P(MPI_Ireduce_scatter_c) PC3_P(MPI_Reduce_scatter_init_c)
PC3_P(MPI_Reduce_scatter_block_c) PC3_P(MPI_Ireduce_scatter_block_c) PC3_P(MPI_Reduce_scatter_block_init_c)
PC3_P(MPI_Scan_c) PC3_P(MPI_Iscan_c) PC3_P(MPI_Scan_init_c) PC3_P(MPI_Exscan_c) PC3_P(MPI_Iexscan_c)
PC3_P(MPI_Exscan_init_c) PC3_P(MPI_Neighbor_allgather_c) PC3_P(MPI_Ineighbor_allgather_c)
PC3_P(MPI_Neighbor_allgather_init_c) PC3_P(MPI_Neighbor_allgatherv_c) PC3_P(MPI_Ineighbor_allgatherv_c)
PC3_P(MPI_Neighbor_allgatherv_init_c) PC3_P(MPI_Neighbor_alltoall_c) PC3_P(MPI_Ineighbor_alltoall_c)
PC3_P(MPI_Neighbor_alltoall_init_c) PC3_P(MPI_Neighbor_alltoallv_c) PC3_P(MPI_Ineighbor_alltoallv_c)
PC3_P(MPI_Neighbor_alltoallv_init_c) PC3_P(MPI_Neighbor_alltoallw_c) PC3_P(MPI_Ineighbor_alltoallw_c)
PC3_P(MPI_Neighbor_alltoallw_init_c) PC3_P(MPI_Group_size) PC3_P(MPI_Group_rank) PC3_P(MPI_Group_translate_ranks)
PC3_P(MPI_Group_compare) PC3_P(MPI_Group_union) PC3_P(MPI_Group_intersection) PC3_P(MPI_Group_difference)
PC3_P(MPI_Group_incl) PC3_P(MPI_Group_excl) PC3_P(MPI_Group_range_incl) PC3_P(MPI_Group_range_excl)
PC3_P(MPI_Group_free) PC3_P(MPI_Comm_size) PC3_P(MPI_Comm_rank) PC3_P(MPI_Comm_group) PC3_P(MPI_Comm_compare)
PC3_P(MPI_Comm_dup) PC3_P(MPI_Comm_dup_with_info) PC3_P(MPI_Comm_create) PC3_P(MPI_Comm_create_group)
PC3_P(MPI_Comm_split) PC3_P(MPI_Comm_split_type) PC3_P(MPI_Get_hw_resource_info) PC3_P(MPI_Comm_free) PC3_P(MPI_Comm_test_inter)
PC3_P(MPI_Comm_remote_size) PC3_P(MPI_Comm_remote_group) PC3_P(MPI_Intercomm_create) PC3_P(MPI_Intercomm_merge)
PC3_P(MPI_Comm_idup) PC3_P(MPI_Comm_idup_with_info) PC3_P(MPI_Comm_set_name) PC3_P(MPI_Comm_get_name)
PC3_P(MPI_Comm_set_info) PC3_P(MPI_Comm_get_info) PC3_P(MPI_Comm_create_keyval) PC3_P(MPI_Comm_free_keyval)
PC3_P(MPI_Comm_set_attr) PC3_P(MPI_Comm_get_attr) PC3_P(MPI_Comm_delete_attr) PC3_P(MPI_Dims_create)
PC3_P(MPI_Cart_create) PC3_P(MPI_Cartdim_get) PC3_P(MPI_Cart_get) PC3_P(MPI_Cart_rank) PC3_P(MPI_Cart_coords)
PC3_P(MPI_Cart_shift) PC3_P(MPI_Cart_sub) PC3_P(MPI_Cart_map) PC3_P(MPI_Graph_create) PC3_P(MPI_Graphdims_get)
PC3_P(MPI_Graph_get) PC3_P(MPI_Graph_neighbors_count) PC3_P(MPI_Graph_neighbors) PC3_P(MPI_Graph_map)
PC3_P(MPI_Dist_graph_create) PC3_P(MPI_Dist_graph_create_adjacent) PC3_P(MPI_Dist_graph_neighbors_count)
PC3_P(MPI_Dist_graph_neighbors) PC3_P(MPI_Topo_test) PC3_P(MPI_File_open) PC3_P(MPI_File_close) PC3_P(MPI_File_delete)
PC3_P(MPI_File_set_size) PC3_P(MPI_File_preallocate) PC3_P(MPI_File_get_size) PC3_P(MPI_File_get_group)
PC3_P(MPI_File_get_amode) PC3_P(MPI_File_set_info) PC3_P(MPI_File_get_info) PC3_P(MPI_File_set_view)
PC3_P(MPI_File_get_view) PC3_P(MPI_File_seek) PC3_P(MPI_File_seek_shared) PC3_P(MPI_File_get_position)
PC3_P(MPI_File_get_position_shared) PC3_P(MPI_File_get_byte_offset) PC3_P(MPI_File_get_type_extent)
PC3_P(MPI_File_get_type_extent_c)
PC3_P(MPI_File_set_atomicity) PC3_P(MPI_File_get_atomicity) PC3_P(MPI_File_sync) PC3_P(MPI_File_create_errhandler)
PC3_P(MPI_Register_datarep) PC3_P(MPI_Register_datarep_c) PC3_P(MPI_File_set_errhandler) PC3_P(MPI_File_get_errhandler) PC3_P(MPI_File_call_errhandler) PC3_P(MPI_File_read_at)
PC3_P(MPI_File_iread_at) PC3_P(MPI_File_read_at_c) PC3_P(MPI_File_iread_at_c) PC3_P(MPI_File_read_at_all)
PC3_P(MPI_File_iread_at_all) PC3_P(MPI_File_read_at_all_c) PC3_P(MPI_File_iread_at_all_c) PC3_P(MPI_File_read)
PC3_P(MPI_File_iread) PC3_P(MPI_File_read_c) PC3_P(MPI_File_iread_c) PC3_P(MPI_File_read_all)
PC3_P(MPI_File_iread_all) PC3_P(MPI_File_read_all_c) PC3_P(MPI_File_iread_all_c) PC3_P(MPI_File_read_shared)
PC3_P(MPI_File_iread_shared) PC3_P(MPI_File_read_shared_c) PC3_P(MPI_File_iread_shared_c) PC3_P(MPI_File_read_ordered)
PC3_P(MPI_File_read_ordered_c) PC3_P(MPI_File_read_at_all_begin) PC3_P(MPI_File_read_at_all_begin_c)
PC3_P(MPI_File_read_at_all_end) PC3_P(MPI_File_read_all_begin) PC3_P(MPI_File_read_all_begin_c)
PC3_P(MPI_File_read_all_end) PC3_P(MPI_File_read_ordered_begin) PC3_P(MPI_File_read_ordered_begin_c)
PC3_P(MPI_File_read_ordered_end) PC3_P(MPI_File_write_at) PC3_P(MPI_File_iwrite_at) PC3_P(MPI_File_write_at_c)
PC3_P(MPI_File_iwrite_at_c) PC3_P(MPI_File_write_at_all) PC3_P(MPI_File_iwrite_at_all) PC3_P(MPI_File_write_at_all_c)
PC3_P(MPI_File_iwrite_at_all_c) PC3_P(MPI_File_write) PC3_P(MPI_File_iwrite) PC3_P(MPI_File_write_c)
PC3_P(MPI_File_iwrite_c) PC3_P(MPI_File_write_all) PC3_P(MPI_File_iwrite_all) PC3_P(MPI_File_write_all_c)
PC3_P(MPI_File_iwrite_all_c) PC3_P(MPI_File_write_shared) PC3_P(MPI_File_iwrite_shared) PC3_P(MPI_File_write_shared_c)
PC3_P(MPI_File_iwrite_shared_c) PC3_P(MPI_File_write_ordered) PC3_P(MPI_File_write_ordered_c)
PC3_P(MPI_File_write_at_all_begin) PC3_P(MPI_File_write_at_all_begin_c) PC3_P(MPI_File_write_at_all_end)
PC3_P(MPI_File_write_all_begin) PC3_P(MPI_File_write_all_begin_c) PC3_P(MPI_File_write_all_end)
PC3_P(MPI_File_write_ordered_begin) PC3_P(MPI_File_write_ordered_begin_c) PC3_P(MPI_File_write_ordered_end)
PC3_P(MPI_Comm_c2f) PC3_P(MPI_Comm_f2c) PC3_P(MPI_Type_c2f) PC3_P(MPI_Type_f2c) PC3_P(MPI_Group_c2f)
PC3_P(MPI_Group_f2c) PC3_P(MPI_Op_c2f) PC3_P(MPI_Op_f2c) PC3_P(MPI_Request_c2f) PC3_P(MPI_Request_f2c)
PC3_P(MPI_Message_c2f) PC3_P(MPI_Message_f2c) PC3_P(MPI_Errhandler_c2f) PC3_P(MPI_Errhandler_f2c) PC3_P(MPI_Info_c2f)
PC3_P(MPI_Info_f2c) PC3_P(MPI_File_c2f) PC3_P(MPI_File_f2c) PC3_P(MPI_Status_c2f) PC3_P(MPI_Status_f2c)
PC3_P(MPI_Status_c2f08) PC3_P(MPI_Status_f082c) PC3_P(MPI_Status_f2f08) PC3_P(MPI_Status_f082f)
PC3_P(MPI_Remove_error_class) PC3_P(MPI_Remove_error_code) PC3_P(MPI_Remove_error_string)
PC3_P(MPI_Request_get_status_all) PC3_P(MPI_Request_get_status_any) PC3_P(MPI_Request_get_status_some)
PC3_P(MPI_Status_get_source) PC3_P(MPI_Status_set_source) PC3_P(MPI_Status_get_tag) PC3_P(MPI_Status_set_tag)
PC3_P(MPI_Status_get_error) PC3_P(MPI_Status_set_error) PC3_P(MPI_Type_get_value_index) PC3_P(MPI_Abi_get_version)
PC3_P(MPI_Abi_get_info) PC3_P(MPI_Comm_toint) PC3_P(MPI_Comm_fromint) PC3_P(MPI_Type_toint) PC3_P(MPI_Type_fromint)
PC3_P(MPI_Group_toint) PC3_P(MPI_Group_fromint) PC3_P(MPI_Op_toint) PC3_P(MPI_Op_fromint) PC3_P(MPI_Request_toint)
PC3_P(MPI_Request_fromint) PC3_P(MPI_Message_toint) PC3_P(MPI_Message_fromint) PC3_P(MPI_Errhandler_toint)
PC3_P(MPI_Errhandler_fromint) PC3_P(MPI_Info_toint) PC3_P(MPI_Info_fromint) PC3_P(MPI_File_toint)
PC3_P(MPI_File_fromint)
PC3_P(MPI_Mrecv_c) PC3_P(MPI_Imrecv_c) PC3_P(MPI_Reduce_local_c) PC3_P(MPI_Comm_disconnect) PC3_P(MPI_Comm_get_parent)
PC3_P(MPI_Comm_spawn) PC3_P(MPI_Comm_spawn_multiple) PC3_P(MPI_Open_port) PC3_P(MPI_Close_port) PC3_P(MPI_Comm_accept)
PC3_P(MPI_Comm_connect) PC3_P(MPI_Publish_name) PC3_P(MPI_Unpublish_name) PC3_P(MPI_Lookup_name)
PC3_P(MPI_Send_c) PC3_P(MPI_Isend_c) PC3_P(MPI_Send_init_c) PC3_P(MPI_Bsend_c) PC3_P(MPI_Ibsend_c)
PC3_P(MPI_Bsend_init_c) PC3_P(MPI_Ssend_c) PC3_P(MPI_Issend_c) PC3_P(MPI_Ssend_init_c) PC3_P(MPI_Rsend_c)
PC3_P(MPI_Irsend_c) PC3_P(MPI_Rsend_init_c) PC3_P(MPI_Recv_c) PC3_P(MPI_Irecv_c) PC3_P(MPI_Recv_init_c)
PC3_P(MPI_Sendrecv_c) PC3_P(MPI_Sendrecv_replace_c) PC3_P(MPI_Isendrecv) PC3_P(MPI_Isendrecv_replace)
PC3_P(MPI_Isendrecv_c) PC3_P(MPI_Isendrecv_replace_c) PC3_P(MPI_Type_contiguous_c) PC3_P(MPI_Type_vector_c)
PC3_P(MPI_Type_create_hvector_c) PC3_P(MPI_Type_indexed_c) PC3_P(MPI_Type_create_hindexed_c)
PC3_P(MPI_Type_create_indexed_block_c) PC3_P(MPI_Type_create_hindexed_block_c) PC3_P(MPI_Type_create_struct_c)
PC3_P(MPI_Type_create_resized_c) PC3_P(MPI_Type_create_subarray_c) PC3_P(MPI_Type_create_darray_c)
PC3_P(MPI_Type_get_envelope_c) PC3_P(MPI_Type_get_contents_c)
PC3_P(MPI_Type_size_c) PC3_P(MPI_Type_get_extent_c) PC3_P(MPI_Type_get_true_extent_c) PC3_P(MPI_Address)
PC3_P(MPI_Type_hvector) PC3_P(MPI_Type_hindexed) PC3_P(MPI_Type_struct) PC3_P(MPI_Type_extent) PC3_P(MPI_Type_lb)
PC3_P(MPI_Type_ub) PC3_P(MPI_Keyval_create) PC3_P(MPI_Keyval_free) PC3_P(MPI_Attr_put) PC3_P(MPI_Attr_get)
PC3_P(MPI_Attr_delete) PC3_P(MPI_Errhandler_create) PC3_P(MPI_Errhandler_set) PC3_P(MPI_Errhandler_get)
PC3_P(MPI_T_init_thread) PC3_P(MPI_T_finalize) PC3_P(MPI_T_enum_get_info) PC3_P(MPI_T_enum_get_item)
PC3_P(MPI_T_cvar_get_num) PC3_P(MPI_T_cvar_get_info) PC3_P(MPI_T_cvar_get_index) PC3_P(MPI_T_cvar_handle_alloc)
PC3_P(MPI_T_cvar_handle_free) PC3_P(MPI_T_cvar_read) PC3_P(MPI_T_cvar_write) PC3_P(MPI_T_pvar_get_num)
PC3_P(MPI_T_pvar_get_info) PC3_P(MPI_T_pvar_get_index) PC3_P(MPI_T_pvar_session_create) PC3_P(MPI_T_pvar_session_free)
PC3_P(MPI_T_pvar_handle_alloc) PC3_P(MPI_T_pvar_handle_free) PC3_P(MPI_T_pvar_start) PC3_P(MPI_T_pvar_stop)
PC3_P(MPI_T_pvar_read) PC3_P(MPI_T_pvar_write) PC3_P(MPI_T_pvar_reset) PC3_P(MPI_T_pvar_readreset)
PC3_P(MPI_T_category_get_num) PC3_P(MPI_T_category_get_info) PC3_P(MPI_T_category_get_index)
PC3_P(MPI_T_category_get_cvars) PC3_P(MPI_T_category_get_pvars) PC3_P(MPI_T_category_get_categories)
PC3_P(MPI_T_category_changed)
PC3_P(MPI_Put) PC3_P(MPI_Put_c) PC3_P(MPI_Get) PC3_P(MPI_Get_c) PC3_P(MPI_Accumulate) PC3_P(MPI_Accumulate_c)
PC3_P(MPI_Get_accumulate) PC3_P(MPI_Get_accumulate_c) PC3_P(MPI_Rput) PC3_P(MPI_Rput_c) PC3_P(MPI_Rget)
PC3_P(MPI_Rget_c) PC3_P(MPI_Raccumulate) PC3_P(MPI_Raccumulate_c) PC3_P(MPI_Rget_accumulate)
PC3_P(MPI_Rget_accumulate_c) PC3_P(MPI_Fetch_and_op) PC3_P(MPI_Compare_and_swap) PC3_P(MPI_Win_create)
PC3_P(MPI_Win_allocate) PC3_P(MPI_Win_allocate_shared) PC3_P(MPI_Win_shared_query) PC3_P(MPI_Win_create_c)
PC3_P(MPI_Win_allocate_c) PC3_P(MPI_Win_allocate_shared_c) PC3_P(MPI_Win_shared_query_c) PC3_P(MPI_Win_create_dynamic)
PC3_P(MPI_Win_attach) PC3_P(MPI_Win_detach) PC3_P(MPI_Win_free) PC3_P(MPI_Win_fence) PC3_P(MPI_Win_post)
PC3_P(MPI_Win_start) PC3_P(MPI_Win_complete) PC3_P(MPI_Win_wait) PC3_P(MPI_Win_unlock_all) PC3_P(MPI_Win_flush_all)
PC3_P(MPI_Win_flush_local_all) PC3_P(MPI_Win_sync) PC3_P(MPI_Win_test) PC3_P(MPI_Win_lock) PC3_P(MPI_Win_lock_all)
PC3_P(MPI_Win_unlock) PC3_P(MPI_Win_flush) PC3_P(MPI_Win_flush_local) PC3_P(MPI_Win_get_group) PC3_P(MPI_Win_set_info)
PC3_P(MPI_Win_get_info) PC3_P(MPI_Win_set_name) PC3_P(MPI_Win_get_name) PC3_P(MPI_Win_create_keyval)
PC3_P(MPI_Win_free_keyval) PC3_P(MPI_Win_set_attr) PC3_P(MPI_Win_get_attr) PC3_P(MPI_Win_delete_attr)
PC3_P(MPI_Win_create_errhandler) PC3_P(MPI_Win_set_errhandler) PC3_P(MPI_Win_get_errhandler)
PC3_P(MPI_Win_call_errhandler) PC3_P(MPI_Win_c2f) PC3_P(MPI_Win_f2c) PC3_P(MPI_Win_toint) PC3_P(MPI_Win_fromint)
PC3_P(MPI_Buffer_attach_c) PC3_P(MPI_Buffer_detach_c) PC3_P(MPI_Get_count_c) PC3_P(MPI_Get_elements_c)
PC3_P(MPI_Status_set_elements_c) PC3_P(MPI_Pack_c) PC3_P(MPI_Unpack_c) PC3_P(MPI_Pack_size_c)
PC3_P(MPI_Abi_get_fortran_booleans) PC3_P(MPI_Abi_get_fortran_info) PC3_P(MPI_Abi_set_fortran_booleans)
PC3_P(MPI_Abi_set_fortran_info) PC3_P(MPI_Buffer_flush) PC3_P(MPI_Buffer_iflush) PC3_P(MPI_Comm_attach_buffer)
PC3_P(MPI_Comm_attach_buffer_c) PC3_P(MPI_Comm_create_from_group) PC3_P(MPI_Comm_detach_buffer)
PC3_P(MPI_Comm_detach_buffer_c) PC3_P(MPI_Comm_flush_buffer) PC3_P(MPI_Comm_iflush_buffer) PC3_P(MPI_Comm_join)
PC3_P(MPI_Group_from_session_pset) PC3_P(MPI_Intercomm_create_from_groups) PC3_P(MPI_Parrived) PC3_P(MPI_Pready)
PC3_P(MPI_Pready_list) PC3_P(MPI_Pready_range) PC3_P(MPI_Precv_init) PC3_P(MPI_Precv_init_c) PC3_P(MPI_Psend_init)
PC3_P(MPI_Psend_init_c) PC3_P(MPI_Session_attach_buffer) PC3_P(MPI_Session_attach_buffer_c)
PC3_P(MPI_Session_call_errhandler) PC3_P(MPI_Session_create_errhandler) PC3_P(MPI_Session_detach_buffer)
PC3_P(MPI_Session_detach_buffer_c) PC3_P(MPI_Session_finalize) PC3_P(MPI_Session_flush_buffer)
PC3_P(MPI_Session_fromint) PC3_P(MPI_Session_get_errhandler) PC3_P(MPI_Session_get_info)
PC3_P(MPI_Session_get_nth_pset) PC3_P(MPI_Session_get_num_psets) PC3_P(MPI_Session_get_pset_info)
PC3_P(MPI_Session_iflush_buffer) PC3_P(MPI_Session_init) PC3_P(MPI_Session_set_errhandler) PC3_P(MPI_Session_toint)
PC3_P(MPI_T_category_get_events) PC3_P(MPI_T_category_get_num_events) PC3_P(MPI_T_event_callback_get_info)
PC3_P(MPI_T_event_callback_set_info) PC3_P(MPI_T_event_copy) PC3_P(MPI_T_event_get_index) PC3_P(MPI_T_event_get_info)
PC3_P(MPI_T_event_get_num) PC3_P(MPI_T_event_get_source) PC3_P(MPI_T_event_get_timestamp)
PC3_P(MPI_T_event_handle_alloc) PC3_P(MPI_T_event_handle_free) PC3_P(MPI_T_event_handle_get_info)
PC3_P(MPI_T_event_handle_set_info) PC3_P(MPI_T_event_read) PC3_P(MPI_T_event_register_callback)
PC3_P(MPI_T_event_set_dropped_handler) PC3_P(MPI_T_source_get_info) PC3_P(MPI_T_source_get_num)
PC3_P(MPI_T_source_get_timestamp)
#undef PC3_P

#ifdef __cplusplus
}
#endif
#endif
