package pcap

// start runs the writer: the only one that touches the file, until done is closed.
func (f *File) start() {
	go func() {
		defer close(f.done)
		var b batch
		err := f.write(&b) // the header
		for range f.ring {
			if b = f.take(b); err == nil {
				err = f.write(&b)
			}
			f.failed(err)
		}
		if b = f.take(b); err == nil {
			err = f.write(&b)
		}
		if e := f.out.Close(); err == nil {
			err = e
		}
		f.failed(err)
	}()
}

func (f *File) failed(err error) {
	f.mu.Lock()
	defer f.mu.Unlock()
	if f.err == nil {
		f.err = err
	}
}
