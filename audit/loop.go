package audit

import (
	"context"
	"time"
)

// batchPause is how long records of Note gather before they are written together.
const batchPause = 200 * time.Millisecond

// Run writes what Note takes, in batches, until the context ends; then the log is closed. It starts no goroutine.
func (l *Log) Run(ctx context.Context) error {
	pause := time.NewTimer(batchPause)
	defer pause.Stop()
	for {
		select {
		case <-l.notes.bell:
		case <-ctx.Done():
			return l.Close()
		}
		pause.Reset(batchPause)
		select {
		case <-pause.C:
		case <-ctx.Done():
			return l.Close()
		}
		l.flush() // Failed was told
	}
}
