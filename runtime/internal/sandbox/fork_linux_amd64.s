#include "textflag.h"

// func cloneVfork(flags uintptr) (pid, errno uintptr)
TEXT ·cloneVfork(SB),NOSPLIT|NOFRAME,$0-24
	MOVQ	flags+0(FP), DI
	XORL	SI, SI
	XORL	DX, DX
	XORL	R10, R10
	XORL	R8, R8
	MOVL	$56, AX // clone
	POPQ	R12 // the child overwrites the return address
	SYSCALL
	PUSHQ	R12
	MOVQ	$0, errno+16(FP)
	MOVQ	AX, pid+8(FP)
	CMPQ	AX, $-4095
	JCS	done
	NEGQ	AX
	MOVQ	AX, errno+16(FP)
	MOVQ	$0, pid+8(FP)
done:
	RET
