package cli

import (
	"time"

	"github.com/spf13/pflag"
	"k8s.io/apimachinery/pkg/api/resource"

	"github.com/causeway-gitops/causeway/internal/app"
	"github.com/causeway-gitops/causeway/internal/store"
)

// storeFlags say where the history is kept, and how much of it.
type storeFlags struct {
	url     string
	entries int
	size    string
	age     time.Duration
}

// storeOff keeps no history.
const storeOff = "off"

func (s *storeFlags) register(f *pflag.FlagSet) {
	f.StringVar(&s.url, "store", "", "where the history is kept: a file, postgres://…, or off (default: a file in the cache folder)")
	f.IntVar(&s.entries, "store-entries", 0, "syncs to keep of each application, and as many of healing (default: 50)")
	f.StringVar(&s.size, "store-size", "", "size that the history may have, as in 500Mi (default: 1Gi)")
	f.DurationVar(&s.age, "store-age", 0, "how long syncs are kept; the last two good ones of an application stay (default: 2160h)")
}

func (s *storeFlags) config() (app.HistoryConfig, error) {
	if s.url == storeOff {
		return app.HistoryConfig{Off: true}, nil
	}
	limits := store.Limits{Entries: s.entries, Age: s.age}
	if s.size != "" {
		q, err := resource.ParseQuantity(s.size)
		if err != nil || q.Value() <= 0 {
			return app.HistoryConfig{}, usagef("cannot read --store-size %q: write a size such as 500Mi", s.size)
		}
		limits.Bytes = q.Value()
	}
	if s.entries < 0 || s.age < 0 {
		return app.HistoryConfig{}, usagef("--store-entries and --store-age cannot be negative")
	}
	return app.HistoryConfig{URL: s.url, Limits: limits}, nil
}
