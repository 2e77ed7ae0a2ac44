package archive

import (
	"archive/tar"
	"bufio"
	"compress/gzip"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"path"
	"strings"

	"github.com/causeway-gitops/causeway/internal/gitops"
)

// Limits bound what an archive may unpack to.
type Limits struct {
	Bytes int64
	Files int
}

// maxPath is the length of the longest path; deeper ones are of no use.
const maxPath = 1024

// Unpack reads a tar archive, compressed with gzip or not.
func Unpack(r io.Reader, l Limits) (*Tree, error) {
	files, err := read(r, l)
	if err != nil {
		return nil, err
	}
	return NewTree(files)
}

// UnpackChart reads a chart's archive, whose files are in one folder; that
// folder becomes the root.
func UnpackChart(r io.Reader, l Limits) (*Tree, error) {
	files, err := read(r, l)
	if err != nil {
		return nil, err
	}
	return NewTree(strip(files))
}

// strip removes the folder that holds Chart.yaml from all paths.
func strip(files map[string][]byte) map[string][]byte {
	if _, ok := files["Chart.yaml"]; ok {
		return files
	}
	out := map[string][]byte{}
	for name, data := range files {
		if _, rest, ok := strings.Cut(name, "/"); ok {
			out[rest] = data
		}
	}
	return out
}

func read(r io.Reader, l Limits) (map[string][]byte, error) {
	plain, err := decompress(r)
	if err != nil {
		return nil, err
	}
	in := tar.NewReader(io.LimitReader(plain, l.Bytes+int64(l.Files)*1024+(1<<20)))
	files, links := map[string][]byte{}, map[string]string{}
	left := l.Bytes
	for count := 0; ; count++ {
		h, err := in.Next()
		if errors.Is(err, io.EOF) {
			follow(files, links)
			return files, nil
		}
		if err != nil {
			return nil, unreadable(err)
		}
		if count >= l.Files {
			return nil, gitops.Problemf(gitops.Invalid, "the archive has more than %d files", l.Files)
		}
		name, err := clean(h.Name)
		if err != nil {
			return nil, err
		}
		switch h.Typeflag {
		case tar.TypeReg:
			if h.Size > left {
				return nil, gitops.Problemf(gitops.Invalid, "the archive unpacks to more than %d MiB", l.Bytes>>20)
			}
			left -= h.Size
			data, err := io.ReadAll(in)
			if err != nil {
				return nil, unreadable(err)
			}
			files[name] = data
		case tar.TypeSymlink, tar.TypeLink:
			if err := note(links, h, name); err != nil {
				return nil, err
			}
		}
	}
}

func decompress(r io.Reader) (io.Reader, error) {
	in := bufio.NewReader(r)
	magic, err := in.Peek(2)
	if err != nil {
		return nil, unreadable(err)
	}
	if magic[0] != 0x1f || magic[1] != 0x8b {
		return in, nil
	}
	z, err := gzip.NewReader(in)
	if err != nil {
		return nil, unreadable(err)
	}
	return z, nil
}

func unreadable(err error) error {
	return &gitops.Problem{Kind: gitops.Invalid, What: fmt.Sprintf("cannot read the archive: %v", err), Fix: "upload the chart or artifact again", Err: err}
}

// clean refuses what would land outside; "./" at the start is common.
func clean(name string) (string, error) {
	if strings.Contains(name, "\\") {
		name = strings.ReplaceAll(name, "\\", "/") // packed on Windows
	}
	trimmed := strings.TrimSuffix(strings.TrimPrefix(name, "./"), "/")
	if trimmed == "" {
		trimmed = "."
	}
	out := path.Clean(trimmed)
	if len(name) > maxPath || !fs.ValidPath(out) || strings.ContainsRune(out, 0) {
		return "", outside(name, fs.ErrPermission)
	}
	return out, nil
}

func note(links map[string]string, h *tar.Header, name string) error {
	target := h.Linkname
	if h.Typeflag == tar.TypeSymlink {
		if strings.HasPrefix(target, "/") {
			return outside(name+" -> "+target, fs.ErrPermission)
		}
		target = path.Join(path.Dir(name), target)
	}
	target = path.Clean(target)
	if !fs.ValidPath(target) {
		return outside(name+" -> "+h.Linkname, fs.ErrPermission)
	}
	links[name] = target
	return nil
}

// follow puts what links lead to in their place: files only, which is what
// charts use them for. Content is shared, so it costs no memory.
func follow(files map[string][]byte, links map[string]string) {
	for name, target := range links {
		for range 8 {
			if data, ok := files[target]; ok {
				files[name] = data
				break
			}
			target = links[target]
		}
	}
}
