package tuning

import (
	"bytes"
	"os"
	"runtime"
	"strconv"
	"sync"
	"time"
)

// lookEvery is for how long the result of a look at the machine counts.
const lookEvery = 5 * time.Millisecond

// enough is how many looks in a row make Adapt change the number of processors.
const enough = 8

var machine struct {
	sync.Mutex
	file   *os.File // see runnableThreads
	at     time.Time
	scarce bool // at that time
	// all is the number of processors for Go, 0 without Adapt; alone says that Go uses one
	// of them, and against is how many looks in a row spoke against that.
	all     int
	alone   bool
	against int
}

// Scarce reports whether other runs need the processors that this one does not use: crowded
// says that there are others at work, and more threads of this machine can run than it has
// processors, not counting the given number of them. Then work done before it is needed only
// costs the other runs time. Beside other programs a run takes what it gets. Where the system
// does not tell, Scarce returns false.
func Scarce(crowded bool, mine int) bool {
	m := &machine
	m.Lock()
	defer m.Unlock()
	if now := time.Now(); now.Sub(m.at) > lookEvery {
		m.at, m.scarce = now, crowded && runnableThreads()-mine > runtime.NumCPU()
		adaptProcessors()
	}
	return m.scarce
}

// Adapt lets Go run this program on one processor while processors are scarce, as the calls of
// Scarce find. A second one would be another run's, and Go wakes threads for it all the time.
// An environment with GOMAXPROCS decides instead. It is for programs that wfc generates; a
// program that embeds an engine never calls it.
func Adapt() {
	if n := runtime.GOMAXPROCS(0); n > 1 && os.Getenv("GOMAXPROCS") == "" {
		machine.Lock()
		machine.all = n
		machine.Unlock()
	}
}

// adaptProcessors changes the number of processors for Go after enough looks. The caller holds the
// lock.
func adaptProcessors() {
	m := &machine
	if m.all == 0 || m.scarce == m.alone {
		m.against = 0
		return
	}
	if m.against++; m.against < enough {
		return
	}
	m.alone, m.against = m.scarce, 0
	if m.alone {
		runtime.GOMAXPROCS(1)
	} else {
		runtime.GOMAXPROCS(m.all)
	}
}

// runnableThreads is the number of threads that can run, this one included: the first number of the
// fourth field of a file of Linux. It is 0 without that file, which stays open because
// reading it takes less time than opening it.
func runnableThreads() int {
	m := &machine
	if m.file == nil {
		m.file, _ = os.Open("/proc/loadavg")
	}
	var line [64]byte // it has about 30 bytes
	n, _ := m.file.ReadAt(line[:], 0)
	if fields := bytes.Fields(line[:n]); len(fields) > 3 {
		text, _, _ := bytes.Cut(fields[3], []byte("/"))
		running, _ := strconv.Atoi(string(text))
		return running
	}
	return 0
}
