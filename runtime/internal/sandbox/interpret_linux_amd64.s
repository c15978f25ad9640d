#include "textflag.h"
#include "interpret_linux.h"

// func interpreterCode() *[interpreterSize]byte
TEXT ·interpreterCode(SB),NOSPLIT,$0-8
	LEAQ	interpret<>(SB), AX
	MOVQ	AX, ret+0(FP)
	RET

// interpret performs calls; see calls_linux.go. It is copied, so it names no address of this program. It
// has no stack: a child that shares its memory does not either. R15 is the call.
TEXT interpret<>(SB),NOSPLIT|NOFRAME,$0
	MOVQ	$FIRST, DI
	MOVL	$REGION, SI
	MOVL	$3, DX // PROT_READ|PROT_WRITE
	MOVL	$0x12, R10 // MAP_PRIVATE|MAP_FIXED
	MOVL	$3, R8 // the file with the first calls
	XORL	R9, R9
	MOVL	$9, AX // mmap
	SYSCALL
	MOVQ	$FIRST, R14
	LEAQ	HEADER(R14), R15
next:
	MOVQ	0(R15), AX
	MOVQ	8(R15), DI
	MOVQ	16(R15), SI
	MOVQ	24(R15), DX
	MOVQ	32(R15), R10
	MOVQ	40(R15), R8
	MOVQ	48(R15), R9
	MOVQ	RESULTS(R15), BX
	BTQ	$0, BX
	JCC	2(PC)
	MOVQ	(DI), DI
	BTQ	$1, BX
	JCC	2(PC)
	MOVQ	(SI), SI
	BTQ	$2, BX
	JCC	2(PC)
	MOVQ	(DX), DX
	BTQ	$3, BX
	JCC	2(PC)
	MOVQ	(R10), R10
	BTQ	$4, BX
	JCC	2(PC)
	MOVQ	(R8), R8
	BTQ	$5, BX
	JCC	2(PC)
	MOVQ	(R9), R9
	CMPQ	AX, $STORE
	JNE	call
	MOVQ	SI, (DI)
	XORL	AX, AX
	JMP	done
call:
	SYSCALL
done:
	MOVQ	AX, RESULT(R15)
	MOVQ	IFZERO(R15), BX
	TESTQ	AX, AX
	JEQ	turn
	MOVQ	IFFAULT(R15), BX
	CMPQ	AX, $-4095
	JCC	fault
	ADDQ	$SIZE, R15
	JMP	next
turn:
	TESTQ	BX, BX
	JNE	2(PC)
	LEAQ	SIZE(R15), BX
	MOVQ	BX, R15
	JMP	next
fault:
	TESTQ	BX, BX
	JNE	turn
	MOVQ	R15, 0(R14)
	MOVQ	AX, 8(R14)
	MOVQ	HANDLER(R14), R15
	JMP	next
	LONG	$END
