package etcd

import (
	"fmt"
	"os"
	"path/filepath"
	"sync"

	"golang.org/x/sys/unix"

	"github.com/weirnet/weir/store"
)

// fileLinks checks whether the files that a member writes are still linked: data in an unlinked
// file is lost when the process ends.
type fileLinks struct {
	mu   sync.Mutex
	mark int      // descriptor
	log  *os.File // the newest file of the log; nil: none at the last check
	gone string   // the reason; sticky
}

// check returns why writes would be lost; "" if they are not.
func (l *fileLinks) check(cfg *Config) string {
	l.mu.Lock()
	defer l.mu.Unlock()
	switch {
	case l.gone != "":
	case !named(l.mark):
		l.gone = filepath.Join(cfg.Dir, MarkFile) + " was deleted"
	case l.log == nil || !named(int(l.log.Fd())):
		l.reopen(cfg) // etcd deletes old files of its log
	}
	return l.gone
}

// stat performs the checks that are too slow for every transaction.
func (l *fileLinks) stat(cfg *Config) string {
	if why := l.check(cfg); why != "" {
		return why
	}
	l.mu.Lock()
	defer l.mu.Unlock()
	l.reopen(cfg)
	if _, err := os.Stat(cfg.databaseFile()); l.gone == "" && os.IsNotExist(err) {
		l.gone = cfg.databaseFile() + " was deleted"
	}
	return l.gone
}

// reopen opens the newest file of the log.
func (l *fileLinks) reopen(cfg *Config) {
	names := cfg.logFiles()
	switch {
	case len(names) == 0:
		l.gone = cfg.logDir() + " has no file of the log any more"
		return
	case l.log != nil && l.log.Name() == names[len(names)-1] && named(int(l.log.Fd())):
		return
	}
	l.close()
	l.log, _ = os.Open(names[len(names)-1]) // nil: deleted meanwhile: the next check retries
}

func (l *fileLinks) close() {
	if l.log != nil {
		l.log.Close()
		l.log = nil
	}
}

// named reports whether an open file is linked.
func named(fd int) bool {
	var s unix.Stat_t
	return unix.Fstat(fd, &s) != nil || s.Nlink > 0
}

// checkLinked returns ErrGone if writes would be lost.
func (m *member) checkLinked() error {
	if why := m.linked.check(&m.cfg); why != "" {
		return fmt.Errorf("%w: %s: end this instance, and restore a backup with weir restore", store.ErrGone, why)
	}
	return nil
}
