package archive

import (
	"archive/tar"
	"bufio"
	"compress/gzip"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"maps"
	"path"
	"slices"
	"strings"
	"unicode/utf8"

	"github.com/causeway-gitops/causeway/internal/gitops"
)

// Limits bound what an archive may unpack to.
type Limits struct {
	// Bytes are those of all files together.
	Bytes int64
	Files int
	// Memory is about what the tree may take with all that is known of its
	// files, in bytes; 0 for no bound but the others.
	Memory int64
}

// errMore is the cause where a tree takes more memory than it may.
var errMore = errors.New("more memory")

func tooMuch(most int64) error {
	return &gitops.Problem{
		Kind: gitops.Invalid, What: fmt.Sprintf("the archive takes more than %d MiB of memory, unpacked", most>>20), Err: errMore,
		Fix: "leave out of the archive what is not needed to render it, or split it",
	}
}

// maxPath is the length of the longest path; deeper ones are of no use.
const maxPath = 1024

// Unpack reads a tar archive, compressed with gzip or not.
func Unpack(r io.Reader, l Limits) (*Tree, error) {
	files, err := read(r, l)
	if err != nil {
		return nil, err
	}
	return newTree(files, l.Memory)
}

// UnpackChart reads a chart's archive, whose files are in one folder; that
// folder becomes the root.
func UnpackChart(r io.Reader, l Limits) (*Tree, error) {
	files, err := read(r, l)
	if err != nil {
		return nil, err
	}
	files, err = strip(files)
	if err != nil {
		return nil, err
	}
	return newTree(files, l.Memory)
}

// strip removes the folder that holds Chart.yaml from all paths. Of two files that
// would have one path it is not known which is meant.
func strip(files map[string][]byte) (map[string][]byte, error) {
	if _, ok := files["Chart.yaml"]; ok {
		return files, nil
	}
	out, from := map[string][]byte{}, map[string]string{}
	for _, name := range slices.Sorted(maps.Keys(files)) {
		_, rest, ok := strings.Cut(name, "/")
		if !ok {
			continue
		}
		if other, twice := from[rest]; twice {
			return nil, gitops.Problemf(gitops.Invalid, "the chart's archive has both %s and %s, which are one file of the chart", other, name).
				Do("pack the chart's own folder alone, as helm package does")
		}
		out[rest], from[rest] = files[name], name
	}
	return out, nil
}

func read(r io.Reader, l Limits) (map[string][]byte, error) {
	plain, err := decompress(r)
	if err != nil {
		return nil, err
	}
	in := reading{
		tar:   tar.NewReader(io.LimitReader(plain, l.Bytes+int64(l.Files)*1024+(1<<20))),
		files: map[string][]byte{}, links: map[string]string{}, limits: l, left: l.Bytes,
	}
	for count := 0; ; count++ {
		h, err := in.tar.Next()
		if errors.Is(err, io.EOF) {
			return follow(in.files, in.links), nil
		}
		if err != nil {
			return nil, unreadable(err)
		}
		if count >= l.Files {
			return nil, gitops.Problemf(gitops.Invalid, "the archive has more than %d files", l.Files).Do("leave out of it what is not needed to render it, or split it")
		}
		if err := in.entry(h); err != nil {
			return nil, err
		}
	}
}

// reading is an archive that is being read.
type reading struct {
	tar    *tar.Reader
	files  map[string][]byte
	links  map[string]string
	limits Limits
	left   int64 // of limits.Bytes
	memory int64
}

func (r *reading) entry(h *tar.Header) error {
	name, err := clean(h.Name)
	if err != nil {
		return err
	}
	switch h.Typeflag {
	case tar.TypeReg:
		return r.file(h, name)
	case tar.TypeSymlink, tar.TypeLink:
		if err := r.take(int64(len(name) + len(h.Linkname) + fileCost)); err != nil {
			return err
		}
		return note(r.links, h, name)
	}
	return nil
}

func (r *reading) file(h *tar.Header, name string) error {
	if h.Size > r.left {
		return gitops.Problemf(gitops.Invalid, "the archive unpacks to more than %d MiB", r.limits.Bytes>>20).Do("leave out of it what is not needed to render it, or split it")
	}
	if err := r.take(h.Size + int64(len(name)+fileCost)); err != nil {
		return err
	}
	r.left -= h.Size
	data := make([]byte, h.Size)
	if _, err := io.ReadFull(r.tar, data); err != nil {
		return unreadable(err)
	}
	r.files[name] = data
	return nil
}

// take counts what is kept of an archive in memory before it is read.
func (r *reading) take(bytes int64) error {
	r.memory += bytes
	if r.limits.Memory > 0 && r.memory > r.limits.Memory {
		return tooMuch(r.limits.Memory)
	}
	return nil
}

// gzipped is how what gzip packed begins.
var gzipped = [2]byte{0x1f, 0x8b}

func decompress(r io.Reader) (io.Reader, error) {
	in := bufio.NewReader(r)
	magic, err := in.Peek(2)
	if err != nil {
		return nil, unreadable(err)
	}
	if [2]byte(magic) != gzipped {
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
	switch {
	case len(name) > maxPath:
		return "", gitops.Problemf(gitops.Invalid, "the path %.40q in the archive is longer than %d bytes", name, maxPath).Do("shorten it, and pack it again")
	case !utf8.ValidString(name):
		return "", gitops.Problemf(gitops.Invalid, "the path %q in the archive is no UTF-8", name).Do("give the file a name in UTF-8, and pack it again")
	case !fs.ValidPath(out) || strings.ContainsRune(out, 0):
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

// maxLinks is how many links are followed to a file, as systems do.
const maxLinks = 40

// follow has in place of links what they lead to: files only, which is what
// charts use them for. Content is shared, so it costs no memory. What a link leads
// to does not depend on which of them is looked at first.
func follow(files map[string][]byte, links map[string]string) map[string][]byte {
	out := maps.Clone(files)
	for name, target := range links {
		for range maxLinks {
			if data, ok := files[target]; ok {
				out[name] = data
				break
			}
			target = links[target]
		}
	}
	return out
}
