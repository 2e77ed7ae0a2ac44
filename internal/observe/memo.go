package observe

import (
	"strings"

	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"

	"github.com/causeway-gitops/causeway/internal/cache"
	"github.com/causeway-gitops/causeway/internal/gitops"
)

// Bounds of the memo, in bytes: what is kept altogether, and what an entry
// takes beside its texts.
const (
	memoBytes  = 16 << 20
	entryBytes = 300
)

// memo keeps what scripts and expressions said of objects that did not change
// since: an object comes by after its own write, in its watch, and again in
// each list.
type memo struct {
	said *cache.LRU[memoKey, gitops.Health]
}

// memoKey names an object of a cluster at one of its versions, and who assessed
// it. Another cluster may tell of an object with the same names.
type memoKey struct{ server, uid, version, digest string }

func newMemo() *memo { return &memo{cache.New[memoKey, gitops.Health](memoBytes)} }

func keyOf(server string, o *unstructured.Unstructured, digest string) memoKey {
	r := reader{o: o.Object}
	return memoKey{server, r.text("metadata", "uid"), r.text("metadata", "resourceVersion"), digest}
}

// known tells objects that a cluster stores from those in files.
func (k memoKey) known() bool { return k.uid != "" && k.version != "" }

func (m *memo) get(k memoKey) (gitops.Health, bool) {
	if !k.known() {
		return gitops.Health{}, false
	}
	return m.said.Get(k)
}

func (m *memo) put(k memoKey, h gitops.Health) {
	if !k.known() {
		return
	}
	// The texts may be parts of larger ones.
	k.uid, k.version, h.Message = strings.Clone(k.uid), strings.Clone(k.version), strings.Clone(h.Message)
	m.said.Put(k, h, int64(entryBytes+len(k.server)+len(k.uid)+len(k.version)+len(k.digest)+len(h.Message)))
}
