// The layout of calls in memory; see calls_linux.go.
#define FIRST	0x75a000000
#define REGION	0x1000000
#define HEADER	64
#define HANDLER	24
#define STORE	-1
#define RESULTS	56
#define RESULT	64
#define IFZERO	72
#define IFFAULT	80
#define SIZE	88
#define END	0x2e646e65
