package render

import (
	"encoding/hex"
	"errors"
	"fmt"
	"math/rand/v2"
	"runtime"
	"strconv"
	"strings"
	"testing"

	"github.com/klauspost/compress/s2"
	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"

	"github.com/causeway-gitops/causeway/internal/gitops"
	"github.com/causeway-gitops/causeway/internal/render/record"
	"github.com/causeway-gitops/causeway/internal/render/wire"
)

// allocated is how much memory is taken for something, in bytes, also what is given back.
func allocated(work func()) int64 {
	var before, after runtime.MemStats
	runtime.ReadMemStats(&before)
	work()
	runtime.ReadMemStats(&after)
	return int64(after.TotalAlloc - before.TotalAlloc)
}

// bodies are what a worker may say that has few bytes, and would become much.
func bodies() map[string]func(w *wire.Writer) {
	const many = 8 << 20
	empty := func(w *wire.Writer, before int) { // of the numbers and texts before a list
		for range before {
			w.Int(0)
		}
	}
	log := func(w *wire.Writer, answers int) {
		for range 3 {
			w.Text("")
		}
		w.Int(answers)
		for range answers {
			w.Int(0)
			w.Text("")
			w.Text("")
		}
	}
	none := func(w *wire.Writer) { // no key, no logs, no facts, no remotes, no digest
		empty(w, 2)
		w.Text("")
		w.Text("")
		empty(w, 2)
		w.Text("")
	}
	zeros := func(w *wire.Writer) {
		w.Int(many)
		empty(w, many)
	}
	again := func(w *wire.Writer) {
		w.Int(many)
		for range many {
			w.Text("a text that is written once, and stands for itself wherever it is")
		}
	}
	return map[string]func(*wire.Writer){
		"Logs":      func(w *wire.Writer) { empty(w, 1); zeros(w) },
		"Answers":   func(w *wire.Writer) { w.Int(0); w.Int(1); log(w, 2<<20) },
		"Facts":     func(w *wire.Writer) { empty(w, 2); w.Text(""); w.Text(""); zeros(w) },
		"Remotes":   func(w *wire.Writer) { empty(w, 2); w.Text(""); w.Text(""); w.Int(0); zeros(w) },
		"Types":     func(w *wire.Writer) { none(w); again(w) },
		"Revisions": func(w *wire.Writer) { none(w); w.Int(0); again(w) },
		"Warnings":  func(w *wire.Writer) { none(w); empty(w, 2); zeros(w) },
		"Origins":   func(w *wire.Writer) { none(w); empty(w, 6); zeros(w) },
	}
}

// TestBodiesBecomeLittle: what a worker says, or a disk has, takes no more memory in the
// engine than a rendering may, whatever its bytes stand for.
func TestBodiesBecomeLittle(t *testing.T) {
	for name, write := range bodies() {
		w := &wire.Writer{}
		write(w)
		var err error
		took := allocated(func() { _, err = decode(w.Bytes(), defaults()) })
		if err == nil || took > wire.Most+wire.Most/4 {
			t.Errorf("%s: %d MiB became %d MiB: %v", name, len(w.Bytes())>>20, took>>20, err)
		}
		if name != "Types" && name != "Revisions" && took > 1<<20 && !errors.Is(err, wire.ErrLarge) && name != "Answers" {
			t.Errorf("%s: %d MiB were made before it was counted", name, took>>20)
		}
	}
	e := whole(t)
	for range maxHidden/hiddenLeast + 1 {
		e.hidden = append(e.hidden, "a")
	}
	if _, err := hosted(t, e).entry(input(), defaults()); err == nil {
		t.Error("there are more decrypted values than a render keeps")
	}
}

// TestLargeRenderingsAreRead: what a render may have at most is read.
func TestLargeRenderingsAreRead(t *testing.T) {
	l, e := defaults(), whole(t)
	reads := &wire.Writer{}
	for _, text := range []string{"root", "a", "digest"} {
		reads.Text(text)
	}
	reads.Int(3 * l.Files)
	for i := range 3 * l.Files { // each is read and looked at, and others are looked for
		reads.Int(i % 3)
		reads.Text(fmt.Sprintf("a/folder/with/a/name/of/some/length/%d.yaml", i))
		reads.Text(fmt.Sprintf("%064d", i))
	}
	e.logs[0] = record.ReadLog(wire.NewReader(reads.Bytes(), wire.Most), 3*l.Files)
	random := rand.NewChaCha8([32]byte{1})
	for i := range l.Objects {
		text := make([]byte, l.Output/int64(l.Objects)/2-100)
		_, _ = random.Read(text)
		e.manifests = append(e.manifests, gitops.Manifest{
			Object: &unstructured.Unstructured{Object: map[string]any{"kind": "A", "text": hex.EncodeToString(text)}},
			Origin: gitops.Origin{RepoURL: ours, Revision: "1", File: fmt.Sprintf("a/folder/with/a/name/of/some/length/%d.yaml", i)},
		})
	}
	for i := range mostWarnings + 1 {
		e.warnings = append(e.warnings, gitops.Warning{Reason: "R", Message: strconv.Itoa(i), Origin: e.manifests[0].Origin})
	}
	if err := e.seal(l); err != nil {
		t.Fatal(err)
	}
	e.brief()
	back, err := hosted(t, e).entry(input(), l)
	if err != nil {
		t.Fatalf("%d MiB of objects: %v", e.bytes>>20, err)
	}
	full, err := back.unpacked()
	if err != nil || len(full.manifests) != l.Objects || full.logs[0].Len() != 3*l.Files || full.warnings[mostWarnings-1].More != 2 {
		t.Errorf("got %d objects, %v", len(full.manifests), err)
	}
}

// TestObjectsAreAsTheyWereSaid: objects that take more memory than was said, or have the
// name of others, are none.
func TestObjectsAreAsTheyWereSaid(t *testing.T) {
	heavy := `{"a":[` + strings.Repeat("{},", 1<<20) + `{}]}` + "\n"
	for _, tc := range map[string]struct {
		reason, text string
		change       func(*entry)
		want         error
	}{
		"Heavy":   {"thirty times as much as its text", heavy, func(e *entry) { e.weight = 0 }, errHeavy},
		"Said":    {"the same, as it was said", heavy, func(e *entry) { e.weight = 128 << 20 }, nil},
		"Digest":  {"the name of other objects, by which theirs would be found", "{\"a\":1}\n", func(e *entry) { e.digest = digestOf([]byte("{\"a\":2}\n")) }, errObject},
		"Lines":   {"more lines than objects", "{}\n" + strings.Repeat("\n", 8<<20), func(*entry) {}, errObject},
		"Cut":     {"a line without an end", "{}", func(*entry) {}, errObject},
		"As said": {"what seal wrote", "{\"a\":1}\n", func(*entry) {}, nil},
	} {
		e := &entry{origins: make([]gitops.Origin, 1), bytes: int64(len(tc.text)), weight: 1000, digest: digestOf([]byte(tc.text)), packed: s2.Encode(nil, []byte(tc.text))}
		tc.change(e)
		var err error
		took := allocated(func() { _, err = e.unpacked() })
		if !errors.Is(err, tc.want) || tc.want != nil && took > 64<<20 {
			t.Errorf("%s: %v with %d MiB, want %v", tc.reason, err, took>>20, tc.want)
		}
	}
}

// TestToldValuesAreBounded: what a worker tells of values takes little, whatever it is.
func TestToldValuesAreBounded(t *testing.T) {
	layers := func(w *wire.Writer, value string, n int) {
		w.Int(1)
		w.Int(0)
		w.Text("Helm")
		w.Int(1)
		w.Texts(nil)
		w.Int(n)
		for range n {
			w.Text("")
			w.Text("")
			writeOrigin(w, gitops.Origin{})
			w.Blob([]byte(value))
		}
	}
	for name, write := range map[string]func(*wire.Writer){
		"Objects": func(w *wire.Writer) { layers(w, "["+strings.Repeat("{},", 8<<20)+"{}]", 1) },
		"Again":   func(w *wire.Writer) { layers(w, "["+strings.Repeat("{},", 1<<20)+"{}]", 8) },
		"Layers":  func(w *wire.Writer) { layers(w, "1", 3<<20) },
		"Values":  func(w *wire.Writer) { w.Int(1); w.Int(0); w.Text(""); w.Int(8 << 20); w.Blob(make([]byte, 8<<20)) },
		"Sources": func(w *wire.Writer) { w.Int(8 << 20); w.Blob(make([]byte, 8<<20)) },
	} {
		w := &wire.Writer{}
		write(w)
		var err error
		took := allocated(func() { _, err = decodeValues(w.Bytes(), 1) })
		if err == nil || took > 2*wire.Most {
			t.Errorf("%s: %d MiB became %d MiB: %v", name, len(w.Bytes())>>20, took>>20, err)
		}
	}
	odd, err := encodeValues([]SourceValues{{Source: 1, Type: gitops.SourceHelm}})
	if err != nil {
		t.Fatal(err)
	}
	if _, err := (&told{host: hosted(t, &entry{}).host, body: odd}).values(input()); err == nil {
		t.Error("values of a source that there is not are believed")
	}
}
