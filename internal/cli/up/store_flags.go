package up

import (
	"time"

	"github.com/spf13/pflag"
	"k8s.io/apimachinery/pkg/api/resource"

	"github.com/causeway-gitops/causeway/internal/chronicle"
	"github.com/causeway-gitops/causeway/internal/cli/command"
	"github.com/causeway-gitops/causeway/internal/store"
)

// storeFlags say where the history is kept, and how much of it.
type storeFlags struct {
	url     string
	entries int
	size    string
	age     time.Duration

	auditSize string
	auditAge  time.Duration
}

// storeOff keeps no history.
const storeOff = "off"

func (s *storeFlags) register(f *pflag.FlagSet) {
	f.StringVar(&s.url, "store", "", "where the history is kept: a file, postgres://…, or off (default: a file in the cache folder)")
	f.IntVar(&s.entries, "store-entries", 0, "syncs to keep of each application, and as many of healing (default: 50)")
	f.StringVar(&s.size, "store-size", "", "size that the history may have, as in 500Mi (default: 1Gi)")
	f.DurationVar(&s.age, "store-age", 0, "how long syncs are kept; the last two good ones of an application stay (default: 2160h)")
	f.StringVar(&s.auditSize, "audit-size", "", "size that the audit may have, beside the history, as in 500Mi (default: 1Gi)")
	f.DurationVar(&s.auditAge, "audit-age", 0, "how long entries of the audit are kept (default: 8760h)")
}

func (s *storeFlags) config() (chronicle.Config, error) {
	if s.url == storeOff {
		return chronicle.Config{Off: true}, nil
	}
	limits := store.Limits{Entries: s.entries, Age: s.age, AuditAge: s.auditAge}
	var err error
	if limits.Bytes, err = bytesOf("--store-size", s.size); err != nil {
		return chronicle.Config{}, err
	}
	if limits.AuditBytes, err = bytesOf("--audit-size", s.auditSize); err != nil {
		return chronicle.Config{}, err
	}
	if s.entries < 0 {
		return chronicle.Config{}, command.Usagef("--store-entries cannot be negative")
	}
	return chronicle.Config{URL: s.url, Limits: limits}, nil
}

// bytesOf reads a size; 0 where none is given. Less than a byte is no size: 500m is
// half of one, and would keep nothing.
func bytesOf(flag, text string) (int64, error) {
	if text == "" {
		return 0, nil
	}
	q, err := resource.ParseQuantity(text)
	if err != nil || q.Cmp(*resource.NewQuantity(1, q.Format)) < 0 {
		return 0, command.Usagef("cannot read %s %q: write a size such as 500Mi", flag, text)
	}
	return q.Value(), nil
}
