package archive

import (
	"archive/tar"
	"bytes"
	"compress/gzip"
	"context"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"strconv"
	"strings"
	"sync/atomic"
	"testing"
	"testing/fstest"

	"golang.org/x/sync/errgroup"

	"github.com/causeway-gitops/causeway/internal/gitops"
	"github.com/causeway-gitops/causeway/internal/slots"
	"github.com/causeway-gitops/causeway/test/await"
)

// closing is an archive in memory.
type closing struct{ *bytes.Reader }

func (closing) Close() error { return nil }

// lies is an archive that counts how often it is opened; without data it is not
// there any more.
func lies(key, project string, opened *atomic.Int64, data *[]byte) Packed {
	return Packed{
		Key: key, Unpack: Unpack, Limits: Limits{Bytes: 1 << 20, Files: 1000}, By: slots.Of(project),
		Open: func() (io.ReadSeekCloser, error) {
			opened.Add(1)
			if *data == nil {
				return nil, &fs.PathError{Op: "open", Path: key, Err: fs.ErrNotExist}
			}
			return closing{bytes.NewReader(*data)}, nil
		},
	}
}

// TestRoomKeepsWhatHasRoom has a project whose archives take more than there is,
// and another one, whose archive stays unpacked. What went is unpacked again.
func TestRoomKeepsWhatHasRoom(t *testing.T) {
	const size = 900 << 10
	r := NewRoom(size)
	var ours, theirs atomic.Int64
	small := pack(t, regular("a.yaml", "blue"))
	blue, err := r.Tree(t.Context(), lies("blue", "blue", &ours, &small))
	if err != nil {
		t.Fatal(err)
	}
	var red []*Lent
	for i := range 10 {
		data := pack(t, regular("a.yaml", strconv.Itoa(i)), regular("large", strings.Repeat("0", 200<<10)))
		l, err := r.Tree(t.Context(), lies(fmt.Sprint("red", i), "red", &theirs, &data))
		if err != nil {
			t.Fatal(err)
		}
		red = append(red, l)
	}
	kept := 0
	for i := range red {
		if r.Has(fmt.Sprint("red", i)) {
			kept++
		}
	}
	if kept != 2 {
		t.Errorf("%d archives of 200 KiB are kept in two thirds of 900 KiB", kept)
	}
	if text, err := blue.ReadFile("a.yaml"); string(text) != "blue" || err != nil || ours.Load() != 1 {
		t.Errorf("the other project's is %q, unpacked %d times: %v", text, ours.Load(), err)
	}
	for i, l := range red {
		if text, err := l.ReadFile("a.yaml"); string(text) != strconv.Itoa(i) || err != nil {
			t.Errorf("what went is %q when it is read: %v", text, err)
		}
	}
	before := theirs.Load()
	if sum, err := red[0].Digest("."); sum == "" || err != nil || theirs.Load() != before {
		t.Errorf("what all of it is takes unpacking: %q, %v", sum, err)
	}
	if err := fstest.TestFS(blue, "a.yaml"); err != nil {
		t.Error(err)
	}
}

// TestRoomRefusesWhatIsTooLarge unpacks what no share has room for, and what has.
func TestRoomRefusesWhatIsTooLarge(t *testing.T) {
	r := NewRoom(600 << 10)
	var opened atomic.Int64
	folders := make([]tar.Header, 0, 40)
	for i := range 40 {
		folders = append(folders, regular(fmt.Sprintf("d%d/%sx", i, strings.Repeat("a/", 100)), ""))
	}
	for name, c := range map[string]struct {
		reason string
		data   []byte
		fails  bool
	}{
		"Bytes":   {"one large file", pack(t, regular("a", strings.Repeat("0", 500<<10))), true},
		"Folders": {"paths of a few bytes, whose folders take more", pack(t, folders...), true},
		"Fits":    {"less than that", pack(t, regular("a", strings.Repeat("0", 300<<10))), false},
		"Links":   {"links take no content", pack(t, regular("a", strings.Repeat("0", 200<<10)), link("b"), link("c"), link("d")), false},
	} {
		t.Run(name, func(t *testing.T) {
			_, err := r.Tree(t.Context(), lies(name, "red", &opened, &c.data))
			if !c.fails {
				if err != nil || !r.Has(name) {
					t.Errorf("%s: is kept: %t, %v", c.reason, r.Has(name), err)
				}
				return
			}
			var p *gitops.Problem
			if !errors.As(err, &p) || p.Kind != gitops.Invalid || p.Fix == "" || !strings.Contains(p.What, "memory") {
				t.Errorf("%s: %v", c.reason, err)
			}
		})
	}
}

func link(name string) tar.Header {
	return tar.Header{Typeflag: tar.TypeLink, Name: name, Linkname: "a"}
}

// TestRoomOfUntrueArchives unpacks what says at its end that it is small: that is
// the length of its last part.
func TestRoomOfUntrueArchives(t *testing.T) {
	plain, err := decompress(bytes.NewReader(pack(t, regular("a", strings.Repeat("0", 500<<10)))))
	if err != nil {
		t.Fatal(err)
	}
	raw, err := io.ReadAll(plain)
	if err != nil {
		t.Fatal(err)
	}
	const end = 1024
	data := append(zipped(t, raw[:len(raw)-end]), zipped(t, raw[len(raw)-end:])...)
	if got := weigh(bytes.NewReader(data)); got != end+end/4+spare {
		t.Errorf("it says that it takes %d bytes", got)
	}
	var opened atomic.Int64
	l, err := NewRoom(1<<20).Tree(t.Context(), lies("a", "red", &opened, &data))
	if err != nil {
		t.Fatal(err)
	}
	if info, err := l.Stat("a"); err != nil || info.Size() != 500<<10 {
		t.Errorf("a file has %v: %v", info, err)
	}
}

func zipped(t *testing.T, data []byte) []byte {
	t.Helper()
	var out bytes.Buffer
	z := gzip.NewWriter(&out)
	if _, err := z.Write(data); err != nil {
		t.Fatal(err)
	}
	if err := z.Close(); err != nil {
		t.Fatal(err)
	}
	return out.Bytes()
}

// TestRoomIsGone reads what is not where it was, or is another archive.
func TestRoomIsGone(t *testing.T) {
	other := pack(t, regular("a.yaml", "other"))
	for name, c := range map[string]struct {
		reason string
		then   []byte
	}{
		"Removed": {"somebody cleared the folder", nil},
		"Changed": {"it was fetched once more, and is another one", other},
	} {
		t.Run(name, func(t *testing.T) {
			r := NewRoom(300 << 10)
			var opened atomic.Int64
			data := pack(t, regular("a.yaml", "1"))
			l, err := r.Tree(t.Context(), lies("a", "red", &opened, &data))
			if err != nil {
				t.Fatal(err)
			}
			data = c.then
			if _, err := l.ReadFile("a.yaml"); err != nil || l.Stale() {
				t.Errorf("what is kept needs no archive: %v", err)
			}
			r.kept.Put("red", "a", nil, 1<<30) // it goes
			_, err = l.ReadFile("a.yaml")
			var p *gitops.Problem
			if !errors.As(err, &p) || p.Kind != gitops.Unreachable || errors.Is(err, fs.ErrNotExist) || !l.Stale() {
				t.Errorf("%s: %v", c.reason, err)
			}
		})
	}
}

// TestRoomBoundsWork does more at a time than there is room for, of a project
// that takes all that it may, while another one goes on.
func TestRoomBoundsWork(t *testing.T) {
	r := NewRoom(100)
	var at, most, done atomic.Int64
	var g errgroup.Group
	for range 40 {
		g.Go(func() error {
			return r.Work(t.Context(), slots.Of("red"), 40, func() error {
				for n := at.Add(1); n > most.Load(); {
					most.Store(n)
				}
				defer at.Add(-1)
				done.Add(1)
				return nil
			})
		})
	}
	if err := g.Wait(); err != nil || most.Load() > 2 || done.Load() != 40 {
		t.Errorf("%d at a time, %d in all: %v", most.Load(), done.Load(), err)
	}

	hold, held := make(chan struct{}), make(chan struct{}, workplaces)
	for range workplaces {
		g.Go(func() error {
			return r.Work(t.Context(), slots.Of("red"), 1, func() error {
				held <- struct{}{}
				<-hold
				return nil
			})
		})
	}
	for range workplaces / 2 {
		<-held
	}
	if err := r.Work(t.Context(), slots.Of("blue"), 50, func() error { return nil }); err != nil {
		t.Errorf("another project waits: %v", err)
	}
	close(hold)
	if err := g.Wait(); err != nil {
		t.Error(err)
	}
}

// TestRoomHasPartsOfProjects has what one project does wait for its own part, and
// not be in the way of what another one does.
func TestRoomHasPartsOfProjects(t *testing.T) {
	r := NewRoom(300)
	hold, held := make(chan struct{}), make(chan struct{}, workplaces)
	var g errgroup.Group
	for range workplaces / 2 {
		g.Go(func() error {
			return r.Work(t.Context(), slots.Of("red"), 200, func() error {
				held <- struct{}{}
				<-hold
				return nil
			})
		})
	}
	<-held
	await.Until(t, func(context.Context) error {
		r.parts.mu.Lock()
		defer r.parts.mu.Unlock()
		if n := r.parts.of["red"].users; n < workplaces/2 {
			return fmt.Errorf("%d of red are there", n)
		}
		return nil
	})
	ctx, cancel := context.WithTimeout(t.Context(), await.Limit)
	defer cancel()
	if err := r.Work(ctx, slots.Of("blue"), 50, func() error { return nil }); err != nil {
		t.Errorf("another project waits: %v", err)
	}
	close(hold)
	if err := g.Wait(); err != nil || len(r.parts.of) != 0 {
		t.Errorf("%d parts are left: %v", len(r.parts.of), err)
	}
	if err := r.Work(t.Context(), slots.Of("red"), 1000, func() error { return nil }); err != nil {
		t.Errorf("what takes all: %v", err)
	}
}

// TestReceive tells why what comes is not all.
func TestReceive(t *testing.T) {
	dir := t.TempDir()
	cut := errors.New("cut")
	for name, c := range map[string]struct {
		reason string
		from   io.Reader
		size   int64
		err    error
	}{
		"All":  {"all of it", strings.NewReader("abc"), 3, nil},
		"More": {"one byte more than may come", strings.NewReader("abcdefgh"), 6, nil},
		"Cut":  {"the server ends it", io.MultiReader(strings.NewReader("ab"), broken{cut}), 2, cut},
	} {
		t.Run(name, func(t *testing.T) {
			in, err := Receive(dir, c.from, 5)
			if err != nil {
				t.Fatal(err)
			}
			if in.Size != c.size || !errors.Is(in.Err, c.err) {
				t.Errorf("%s: %d bytes, %v", c.reason, in.Size, in.Err)
			}
			in.Drop()
		})
	}
	in, err := Receive(dir, strings.NewReader("abc"), 5)
	if err != nil {
		t.Fatal(err)
	}
	name := dir + "/name"
	if err := in.Place(name); err != nil {
		t.Fatal(err)
	}
	in.Drop()
	if !Whole(name, in.Sum) || Whole(name, strings.Repeat("0", 64)) || Whole(dir+"/none", "") {
		t.Error("a file is whole where it is there, and has the sum")
	}
	if left, err := os.ReadDir(dir); err != nil || len(left) != 1 {
		t.Errorf("there is %v: %v", left, err)
	}
}

type broken struct{ err error }

func (b broken) Read([]byte) (int, error) { return 0, b.err }

// TestRoomUsesOneAfterTheOther uses more at a time than there is room for: who
// waits holds nothing, and finds what is kept or makes it.
func TestRoomUsesOneAfterTheOther(t *testing.T) {
	r := NewRoom(300)
	var at, most, made atomic.Int64
	var g errgroup.Group
	for i := range 12 {
		key := strconv.Itoa(i % 3)
		g.Go(func() error {
			build := func() (any, int64, error) {
				made.Add(1)
				return key, 150, nil
			}
			return r.Use(t.Context(), slots.Of(key), Made{key, 200, build}, func(v any) error {
				if v != key {
					t.Errorf("%s is %v", key, v)
				}
				most.Store(max(most.Load(), at.Add(1)))
				at.Add(-1)
				return nil
			})
		})
	}
	if err := g.Wait(); err != nil || most.Load() != 1 || made.Load() < 3 {
		t.Errorf("%d at a time, and %d were made: %v", most.Load(), made.Load(), err)
	}
	cut := errors.New("cut")
	if err := r.Use(t.Context(), nil, Made{"x", 1, func() (any, int64, error) { return nil, 0, cut }}, nil); !errors.Is(err, cut) || r.Has("x") {
		t.Errorf("what could not be made is kept: %v", err)
	}
}
