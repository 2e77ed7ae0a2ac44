package git

import (
	"bufio"
	"errors"
	"os"
)

// page is a file of lines; there is none before it begins.
type page struct {
	home string
	file *os.File
	out  *bufio.Writer
}

func (p *page) begin() error {
	if p.file != nil {
		return nil
	}
	f, err := os.CreateTemp(p.home, listingName)
	if err != nil {
		return err
	}
	p.file, p.out = f, bufio.NewWriterSize(f, 64<<10)
	return nil
}

func (p *page) write(line []byte) error {
	if err := p.begin(); err != nil {
		return err
	}
	_, err := p.out.Write(line)
	return err
}

func (p *page) reset() error {
	if p.file == nil {
		return nil
	}
	_, seek := p.file.Seek(0, 0)
	p.out.Reset(p.file)
	return errors.Join(seek, p.file.Truncate(0))
}

// end writes what is left, and closes the file.
func (p *page) end() error {
	if p.file == nil {
		return nil
	}
	return errors.Join(p.out.Flush(), p.file.Close())
}

// drop removes the file.
func (p *page) drop() {
	if p.file != nil {
		_ = p.file.Close() // it may be closed already
		_ = os.Remove(p.file.Name())
	}
}

// path is where the file lies; empty where there is none.
func (p *page) path() string {
	if p.file == nil {
		return ""
	}
	return p.file.Name()
}
