#include "textflag.h"
#include "interpret_linux.h"

// func interpreterCode() *[interpreterSize]byte
TEXT ·interpreterCode(SB),NOSPLIT,$0-8
	MOVD	$interpret<>(SB), R0
	MOVD	R0, ret+0(FP)
	RET

// interpret performs calls; see calls_linux.go. It is copied, so it names no address of this program. It
// has no stack: a child that shares its memory does not either. R20 is the call.
TEXT interpret<>(SB),NOSPLIT|NOFRAME,$0
	MOVD	$FIRST, R19
	MOVD	R19, R0
	MOVD	$REGION, R1
	MOVD	$3, R2 // PROT_READ|PROT_WRITE
	MOVD	$0x12, R3 // MAP_PRIVATE|MAP_FIXED
	MOVD	$3, R4 // the file with the first calls
	MOVD	$0, R5
	MOVD	$222, R8 // mmap
	SVC
	ADD	$HEADER, R19, R20
next:
	MOVD	0(R20), R8
	MOVD	8(R20), R0
	MOVD	16(R20), R1
	MOVD	24(R20), R2
	MOVD	32(R20), R3
	MOVD	40(R20), R4
	MOVD	48(R20), R5
	MOVD	RESULTS(R20), R9
	TBZ	$0, R9, 2(PC)
	MOVD	(R0), R0
	TBZ	$1, R9, 2(PC)
	MOVD	(R1), R1
	TBZ	$2, R9, 2(PC)
	MOVD	(R2), R2
	TBZ	$3, R9, 2(PC)
	MOVD	(R3), R3
	TBZ	$4, R9, 2(PC)
	MOVD	(R4), R4
	TBZ	$5, R9, 2(PC)
	MOVD	(R5), R5
	CMN	$1, R8 // STORE
	BNE	call
	MOVD	R1, (R0)
	MOVD	$0, R0
	B	done
call:
	SVC
done:
	MOVD	R0, RESULT(R20)
	MOVD	IFZERO(R20), R9
	CBZ	R0, turn
	MOVD	IFFAULT(R20), R9
	CMN	$4095, R0
	BCS	fault
	ADD	$SIZE, R20
	B	next
turn:
	CBNZ	R9, 2(PC)
	ADD	$SIZE, R20, R9
	MOVD	R9, R20
	B	next
fault:
	CBNZ	R9, turn
	MOVD	R20, 0(R19)
	MOVD	R0, 8(R19)
	MOVD	HANDLER(R19), R20
	B	next
	WORD	$END
