package record

import (
	"encoding/hex"
	"maps"
	"slices"
	"sync"

	"github.com/zeebo/blake3"

	"github.com/causeway-gitops/causeway/internal/gitops"
)

// Facts hands out a cluster's facts and notes which were asked for. It is
// safe for concurrent use.
type Facts struct {
	facts gitops.Facts

	mu  sync.Mutex
	log FactsLog
}

// FactsLog is the finished record. A render that asked for nothing holds
// whatever the cluster becomes.
type FactsLog struct {
	// version and apis are what was answered, "" when not asked for; apis
	// is a hash of the whole list.
	version, apis string
	// has are the answers to single questions.
	has map[string]bool
}

// WrapFacts starts a record.
func WrapFacts(f gitops.Facts) *Facts { return &Facts{facts: f} }

// KubeVersion returns the version and notes it.
func (f *Facts) KubeVersion() string {
	f.mu.Lock()
	defer f.mu.Unlock()
	f.log.version = "v" + f.facts.KubeVersion
	return f.facts.KubeVersion
}

// APIVersions returns the whole list and notes that any change of it matters.
func (f *Facts) APIVersions() []string {
	f.mu.Lock()
	defer f.mu.Unlock()
	f.log.apis = hashOf(f.facts.APIVersions)
	return f.facts.APIVersions
}

// Has reports whether the cluster serves an API version, and notes this one answer.
func (f *Facts) Has(apiVersion string) bool {
	f.mu.Lock()
	defer f.mu.Unlock()
	answer := serves(f.facts, apiVersion)
	if f.log.has == nil {
		f.log.has = map[string]bool{}
	}
	f.log.has[apiVersion] = answer
	return answer
}

// Log returns the record so far.
func (f *Facts) Log() FactsLog {
	f.mu.Lock()
	defer f.mu.Unlock()
	log := f.log
	log.has = maps.Clone(f.log.has)
	return log
}

// Holds reports whether every answer would be the same.
func (l FactsLog) Holds(f gitops.Facts) bool {
	if l.version != "" && l.version != "v"+f.KubeVersion {
		return false
	}
	if l.apis != "" && l.apis != hashOf(f.APIVersions) {
		return false
	}
	for apiVersion, want := range l.has {
		if serves(f, apiVersion) != want {
			return false
		}
	}
	return true
}

// Bytes estimates the memory of the log.
func (l FactsLog) Bytes() int64 {
	n := int64(64)
	for k := range l.has {
		n += int64(len(k)) + 48
	}
	return n
}

func serves(f gitops.Facts, apiVersion string) bool {
	if _, found := slices.BinarySearch(f.APIVersions, apiVersion); found {
		return true
	}
	// The list is sorted by contract; a caller that breaks it still gets the truth.
	return !slices.IsSorted(f.APIVersions) && slices.Contains(f.APIVersions, apiVersion)
}

func hashOf(list []string) string {
	h := blake3.New()
	for _, s := range list {
		_, _ = h.WriteString(s)
		_, _ = h.Write([]byte{0})
	}
	return hex.EncodeToString(h.Sum(nil)[:16])
}
