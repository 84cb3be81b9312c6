package audit

import (
	"bufio"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"slices"
	"time"

	"github.com/weirnet/weir/api/client"
)

// maxLine is the longest line that is read; longer ones are damage. Records are far shorter.
const maxLine = 1 << 20

// Read returns the newest records, at most limit, not older than since, the oldest first.
func (l *Log) Read(since time.Time, limit int) ([]client.AuditRecord, error) {
	if err := l.flush(); err != nil {
		return nil, err
	}
	var newest []client.AuditRecord // by file, each with its oldest first
	for n := 0; n < l.cfg.Limits.Files && len(newest) < limit; n++ {
		part, err := readFile(l.file.name(n), since, limit-len(newest))
		if errors.Is(err, fs.ErrNotExist) {
			break
		} else if err != nil {
			return nil, err
		}
		newest = append(part, newest...)
	}
	return newest, nil
}

// readFile returns the last records of a file.
func readFile(name string, since time.Time, limit int) ([]client.AuditRecord, error) {
	f, err := os.Open(name)
	if err != nil {
		return nil, err
	}
	defer f.Close()
	return readRecords(f, since, limit)
}

// readRecords returns the last records. Lines that are no records (a record that a crash cut short, damage)
// make one of result "damaged" that counts them, with the time of the record before; of the next one if there is none before.
func readRecords(r io.Reader, since time.Time, limit int) ([]client.AuditRecord, error) {
	var list []client.AuditRecord
	var last time.Time // of the record before
	damaged := 0       // lines since then
	keep := func(record client.AuditRecord) {
		if record.Time.Before(since) {
			return
		}
		if list = append(list, record); len(list) >= 2*limit {
			list = slices.Delete(list, 0, len(list)-limit)
		}
	}
	tell := func() {
		if damaged > 0 {
			keep(client.AuditRecord{Time: last, Who: "-", What: "damaged", Result: "damaged",
				Detail: fmt.Sprintf("lines after this that cannot be read: %d", damaged)})
		}
		damaged = 0
	}
	in := bufio.NewReaderSize(r, 64<<10)
	for {
		line, err := readLine(in)
		if err == io.EOF {
			tell()
			return list[max(0, len(list)-limit):], nil
		} else if err != nil {
			return nil, err
		}
		var record client.AuditRecord
		switch {
		case line != nil && len(line) == 0: // of a write that did not end
		case json.Unmarshal(line, &record) != nil || record.Time.IsZero():
			damaged++
		default:
			if last.IsZero() {
				last = record.Time
			}
			tell()
			last = record.Time
			keep(record)
		}
	}
}

// readLine returns the next line, nil if it is too long.
func readLine(in *bufio.Reader) ([]byte, error) {
	line := []byte{}
	long := false
	for {
		part, more, err := in.ReadLine()
		if err != nil {
			return nil, err
		}
		if long = long || len(line)+len(part) > maxLine; !long {
			line = append(line, part...)
		}
		if !more {
			if long {
				line = nil
			}
			return line, nil
		}
	}
}
