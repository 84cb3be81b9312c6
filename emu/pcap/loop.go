package pcap

import "cmp"

// start runs the writer, which alone uses the file until done is closed.
func (f *File) start() {
	go func() {
		defer close(f.done)
		var b batch
		err := f.write(&b) // the header
		for range f.wakeup {
			if b = f.take(b); err == nil {
				err = f.write(&b)
			}
			f.failed(err)
		}
		if b = f.take(b); err == nil {
			err = f.write(&b)
		}
		f.failed(cmp.Or(err, f.out.Close()))
	}()
}

func (f *File) failed(err error) {
	f.mu.Lock()
	defer f.mu.Unlock()
	if f.err == nil {
		f.err = err
	}
}
