package etcd

import (
	"fmt"
	"os"
	"path/filepath"
	"sync"

	"golang.org/x/sys/unix"

	"github.com/weirnet/weir/store"
)

// linked watches whether the files that a member writes still have names: what is written to a file without one is lost when the process ends.
type linked struct {
	mu   sync.Mutex
	mark int      // descriptor
	log  *os.File // the newest file of the log; nil: there was none at the last look
	gone string   // why; once they are gone they stay so
}

// check says why nothing that is written will last; "" if it will.
func (l *linked) check(cfg *Config) string {
	l.mu.Lock()
	defer l.mu.Unlock()
	switch {
	case l.gone != "":
	case !named(l.mark):
		l.gone = filepath.Join(cfg.Dir, MarkFile) + " was deleted"
	case l.log == nil || !named(int(l.log.Fd())):
		l.renew(cfg) // etcd deletes old files of its log
	}
	return l.gone
}

// look checks what is too slow for every transaction.
func (l *linked) look(cfg *Config) string {
	if why := l.check(cfg); why != "" {
		return why
	}
	l.mu.Lock()
	defer l.mu.Unlock()
	l.renew(cfg)
	if _, err := os.Stat(cfg.databaseFile()); l.gone == "" && os.IsNotExist(err) {
		l.gone = cfg.databaseFile() + " was deleted"
	}
	return l.gone
}

// renew opens the newest file of the log.
func (l *linked) renew(cfg *Config) {
	names, err := filepath.Glob(filepath.Join(cfg.logDir(), "*.wal")) // sorted
	switch {
	case err != nil || len(names) == 0:
		l.gone = cfg.logDir() + " has no file of the log any more"
		return
	case l.log != nil && l.log.Name() == names[len(names)-1] && named(int(l.log.Fd())):
		return
	}
	l.close()
	if l.log, err = os.Open(names[len(names)-1]); err != nil {
		l.log = nil // it went meanwhile: the next check looks again
	}
}

func (l *linked) close() {
	if l.log != nil {
		l.log.Close()
		l.log = nil
	}
}

// named reports whether an open file has a name.
func named(fd int) bool {
	var s unix.Stat_t
	return unix.Fstat(fd, &s) != nil || s.Nlink > 0
}

// lasting is ErrGone if what is written now would be lost.
func (m *member) lasting() error {
	if why := m.linked.check(&m.cfg); why != "" {
		return fmt.Errorf("%w: %s: end this instance, and restore a backup with weir restore", store.ErrGone, why)
	}
	return nil
}
