package audit

import (
	"bufio"
	"encoding/json"
	"errors"
	"io"
	"io/fs"
	"os"
	"slices"
	"time"

	"github.com/weirnet/weir/api/client"
)

// maxLine is the longest line that is read; longer ones are skipped. Records are far shorter.
const maxLine = 1 << 20

// Read returns the newest records, at most limit, not older than since, the oldest first. Malformed
// lines are skipped.
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

func readRecords(r io.Reader, since time.Time, limit int) ([]client.AuditRecord, error) {
	var list []client.AuditRecord
	in := bufio.NewReaderSize(r, 64<<10)
	for {
		line, err := readLine(in)
		if err == io.EOF {
			return list[max(0, len(list)-limit):], nil
		} else if err != nil {
			return nil, err
		}
		var record client.AuditRecord
		if len(line) == 0 || json.Unmarshal(line, &record) != nil || record.Time.Before(since) {
			continue
		}
		if list = append(list, record); len(list) >= 2*limit {
			list = slices.Delete(list, 0, len(list)-limit)
		}
	}
}

// readLine returns the next line, nil if it is too long.
func readLine(in *bufio.Reader) ([]byte, error) {
	var line []byte
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
