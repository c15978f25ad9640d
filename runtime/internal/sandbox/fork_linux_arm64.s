#include "textflag.h"

// func cloneVfork(flags uintptr) (pid, errno uintptr)
TEXT ·cloneVfork(SB),NOSPLIT,$0-24
	MOVD	flags+0(FP), R0
	MOVD	$0, R1
	MOVD	$0, R2
	MOVD	$0, R3
	MOVD	$0, R4
	MOVD	$220, R8 // clone
	SVC
	MOVD	$0, R1
	CMN	$4095, R0
	BCC	done
	NEG	R0, R1
	MOVD	$0, R0
done:
	MOVD	R0, pid+8(FP)
	MOVD	R1, errno+16(FP)
	RET
