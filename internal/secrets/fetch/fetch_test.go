package fetch

import (
	"context"
	"errors"
	"fmt"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	esv1 "github.com/causeway-gitops/causeway/api/externalsecrets/v1"
	"github.com/causeway-gitops/causeway/internal/secrets/compute"
	"github.com/causeway-gitops/causeway/internal/secrets/entry"
	"github.com/causeway-gitops/causeway/internal/secrets/lease"
	"github.com/causeway-gitops/causeway/internal/secrets/provider"
)

// store tells what was asked of it, by the name that it was opened by.
type store struct {
	name string
	seen *[]string
}

var errAway = errors.New("the store is away")

func (s store) Read(_ context.Context, ref provider.Ref, since time.Time) (entry.Entry, error) {
	*s.seen = append(*s.seen, fmt.Sprintf("%s %+v since %d", s.name, ref, since.Unix()))
	switch ref.Key {
	case "away":
		return entry.Entry{}, errAway
	case "gone":
		return entry.Entry{}, fmt.Errorf("%w: gone", entry.ErrNotFound)
	}
	return entry.Text([]byte(s.name + "/" + ref.Key)).At(ref.Version), nil
}

func (s store) Find(_ context.Context, find esv1.Find) (map[string][]byte, error) {
	*s.seen = append(*s.seen, s.name+" find "+find.Name.RegExp)
	switch find.Name.RegExp {
	case "away":
		return nil, errAway
	case "none":
		return map[string][]byte{}, nil
	}
	return map[string][]byte{"found": []byte(s.name)}, nil
}

// sources opens the stores of these tests; of "closed" none.
func sources(seen *[]string) Sources {
	return Sources{
		Stores: func(_ context.Context, namespace string, ref esv1.SecretStoreRef) (Store, error) {
			if ref.Name == "closed" {
				return nil, errAway
			}
			return store{namespace + "/" + ref.Kind + ref.Name, seen}, nil
		},
		Generate: func(_ context.Context, namespace string, ref esv1.GeneratorRef) (map[string][]byte, error) {
			if ref.Name == "broken" {
				return nil, errAway
			}
			return map[string][]byte{"made": []byte(namespace + "/" + ref.Name)}, nil
		},
	}
}

func extract(key string) esv1.ExternalSecretDataFrom {
	return esv1.ExternalSecretDataFrom{Extract: &esv1.RemoteRef{Key: key}}
}

func find(pattern string) esv1.ExternalSecretDataFrom {
	return esv1.ExternalSecretDataFrom{Find: &esv1.Find{Name: &esv1.FindName{RegExp: pattern}}}
}

func generated(name string) esv1.ExternalSecretDataFrom {
	return esv1.ExternalSecretDataFrom{SourceRef: &esv1.StoreGeneratorSourceRef{GeneratorRef: &esv1.GeneratorRef{Kind: "Password", Name: name}}}
}

func one(key, remote string) esv1.ExternalSecretData {
	return esv1.ExternalSecretData{SecretKey: key, RemoteRef: esv1.RemoteRef{Key: remote}}
}

func from(d esv1.ExternalSecretData, ref esv1.StoreSourceRef) esv1.ExternalSecretData {
	d.SourceRef = &ref
	return d
}

func TestFetch(t *testing.T) {
	entryOf := func(text string) *entry.Entry { e := entry.Text([]byte(text)); return &e }
	versionOf := func(key, version string) *entry.Entry {
		e := entry.Text([]byte("ns/main/" + key)).At(version)
		return &e
	}
	for name, tc := range map[string]struct {
		reason   string
		data     []esv1.ExternalSecretData
		dataFrom []esv1.ExternalSecretDataFrom
		policy   esv1.DeletionPolicy
		want     Fetched
		err      string
		is       error
	}{
		"nothing": {"what names nothing fetches nothing", nil, nil, "", Fetched{}, "", nil},
		"value": {
			"a value with its property and decoding",
			[]esv1.ExternalSecretData{{SecretKey: "k", RemoteRef: esv1.RemoteRef{Key: "e", Property: "p", DecodingStrategy: esv1.DecodeAuto}}}, nil, "",
			Fetched{Values: []compute.Value{{Place: "data[0] (k)", Key: "k", Entry: *entryOf("ns/main/e"), Property: "p", Decoding: esv1.DecodeAuto}}}, "", nil,
		},
		"versions": {
			"which version each entry is of, the last one of a key that is read twice",
			[]esv1.ExternalSecretData{{SecretKey: "k", RemoteRef: esv1.RemoteRef{Key: "e", Version: "2"}}, one("l", "none")},
			[]esv1.ExternalSecretDataFrom{{Extract: &esv1.RemoteRef{Key: "e", Version: "1"}}, {Extract: &esv1.RemoteRef{Key: "f", Version: "7"}}}, "",
			Fetched{
				From:     []compute.Set{{Place: "dataFrom[0]", Entry: versionOf("e", "1")}, {Place: "dataFrom[1]", Entry: versionOf("f", "7")}},
				Values:   []compute.Value{{Place: "data[0] (k)", Key: "k", Entry: *versionOf("e", "2")}, {Place: "data[1] (l)", Key: "l", Entry: *entryOf("ns/main/none")}},
				Versions: map[string]string{"e": "2", "f": "7"},
			}, "", nil,
		},
		"extract": {
			"the fields of an entry", nil,
			[]esv1.ExternalSecretDataFrom{{Extract: &esv1.RemoteRef{Key: "e", Property: "p", ConversionStrategy: esv1.ConversionUnicode}, Rewrite: []esv1.Rewrite{{}}}}, "",
			Fetched{From: []compute.Set{{Place: "dataFrom[0]", Entry: entryOf("ns/main/e"), Property: "p", Conversion: esv1.ConversionUnicode, Rewrite: []esv1.Rewrite{{}}}}}, "", nil,
		},
		"find": {
			"what is found is converted before it is rewritten", nil, []esv1.ExternalSecretDataFrom{find("x")}, "",
			Fetched{From: []compute.Set{{Place: "dataFrom[0]", Found: true, Data: map[string][]byte{"found": []byte("ns/main")}}}}, "", nil,
		},
		"found none": {
			"nothing that matches is no error", nil, []esv1.ExternalSecretDataFrom{find("none")}, "",
			Fetched{From: []compute.Set{{Place: "dataFrom[0]", Found: true, Data: map[string][]byte{}}}}, "", nil,
		},
		"generator": {
			"what a generator makes, for the namespace that asks", nil, []esv1.ExternalSecretDataFrom{generated("g")}, "",
			Fetched{From: []compute.Set{{Place: "dataFrom[0]", Data: map[string][]byte{"made": []byte("ns/g")}}}}, "", nil,
		},
		"other store": {
			"a value may name a store of its own",
			[]esv1.ExternalSecretData{from(one("k", "e"), esv1.StoreSourceRef{SecretStoreRef: esv1.SecretStoreRef{Kind: "ClusterSecretStore", Name: "other"}})}, nil, "",
			Fetched{Values: []compute.Value{{Place: "data[0] (k)", Key: "k", Entry: *entryOf("ns/ClusterSecretStoreother/e")}}}, "", nil,
		},
		"no other store": {
			"a sourceRef without a name is the store of all",
			[]esv1.ExternalSecretData{from(one("k", "e"), esv1.StoreSourceRef{})}, nil, "",
			Fetched{Values: []compute.Value{{Place: "data[0] (k)", Key: "k", Entry: *entryOf("ns/main/e")}}}, "", nil,
		},
		"set of another store": {
			"so may a set", nil,
			[]esv1.ExternalSecretDataFrom{{Extract: &esv1.RemoteRef{Key: "e"}, SourceRef: &esv1.StoreGeneratorSourceRef{SecretStoreRef: &esv1.SecretStoreRef{Name: "other"}}}}, "",
			Fetched{From: []compute.Set{{Place: "dataFrom[0]", Entry: entryOf("ns/other/e")}}}, "", nil,
		},
		"generator of a value": {
			"a generator makes sets",
			[]esv1.ExternalSecretData{from(one("k", "e"), esv1.StoreSourceRef{GeneratorRef: &esv1.GeneratorRef{Kind: "Password", Name: "g"}})}, nil, "",
			Fetched{}, "data[0] (k): Password g", errOne,
		},
		"names nothing":    {"a set of nothing", nil, []esv1.ExternalSecretDataFrom{{}}, "", Fetched{}, "dataFrom[0] names nothing", nil},
		"broken generator": {"a generator that fails", nil, []esv1.ExternalSecretDataFrom{generated("broken")}, esv1.DeleteSecret, Fetched{}, "dataFrom[0]", errAway},
		"closed store": {
			"a store that is not opened", nil,
			[]esv1.ExternalSecretDataFrom{{Extract: &esv1.RemoteRef{Key: "e"}, SourceRef: &esv1.StoreGeneratorSourceRef{SecretStoreRef: &esv1.SecretStoreRef{Name: "closed"}}}},
			esv1.DeleteSecret, Fetched{}, "dataFrom[0]", errAway,
		},
		"closed for one": {
			"for a single value as well",
			[]esv1.ExternalSecretData{from(one("k", "e"), esv1.StoreSourceRef{SecretStoreRef: esv1.SecretStoreRef{Name: "closed"}})}, nil,
			esv1.DeleteSecret, Fetched{}, "data[0] (k)", errAway,
		},
		"gone":               {"what is gone is an error", []esv1.ExternalSecretData{one("k", "gone")}, nil, "", Fetched{}, "data[0] (k)", entry.ErrNotFound},
		"gone, retained":     {"also where Retain is written", []esv1.ExternalSecretData{one("k", "gone")}, nil, esv1.DeleteNothing, Fetched{}, "data[0] (k)", entry.ErrNotFound},
		"gone, deleted":      {"unless a policy says what happens then", []esv1.ExternalSecretData{one("k", "gone")}, nil, esv1.DeleteSecret, Fetched{Missing: []string{"data[0] (k)"}}, "", nil},
		"gone, set":          {"for sets as well", nil, []esv1.ExternalSecretDataFrom{extract("gone")}, esv1.DeleteKeys, Fetched{Missing: []string{"dataFrom[0]"}}, "", nil},
		"away, value":        {"a store that is away is no reason to delete", []esv1.ExternalSecretData{one("k", "away")}, nil, esv1.DeleteSecret, Fetched{}, "data[0] (k)", errAway},
		"away, set":          {"neither for sets", nil, []esv1.ExternalSecretDataFrom{extract("away")}, esv1.DeleteKeys, Fetched{}, "dataFrom[0]", errAway},
		"away, find":         {"nor for searches", nil, []esv1.ExternalSecretDataFrom{find("away")}, esv1.DeleteSecret, Fetched{}, "dataFrom[0]", errAway},
		"away in the middle": {"what was fetched before is of no use", []esv1.ExternalSecretData{one("a", "e"), one("k", "away")}, []esv1.ExternalSecretDataFrom{extract("e")}, esv1.DeleteSecret, Fetched{}, "data[1] (k)", errAway},
	} {
		t.Run(name, func(t *testing.T) {
			var seen []string
			order := Order{Namespace: "ns", Spec: esv1.ExternalSecretSpec{
				SecretStoreRef: esv1.SecretStoreRef{Name: "main"}, Data: tc.data, DataFrom: tc.dataFrom, Target: esv1.ExternalSecretTarget{DeletionPolicy: tc.policy},
			}}
			got, err := Fetch(t.Context(), order, sources(&seen))
			if (err != nil) != (tc.err != "") || err != nil && (!strings.Contains(err.Error(), tc.err) || tc.is != nil && !errors.Is(err, tc.is)) {
				t.Fatalf("%s: got the error %v, want %q (%v)", tc.reason, err, tc.err, tc.is)
			}
			if diff := cmp.Diff(tc.want, got); diff != "" {
				t.Errorf("%s (-want +got):\n%s", tc.reason, diff)
			}
		})
	}
}

// TestAllThatIsFetched has a bound: all of it is in memory, and is sent to a worker.
func TestAllThatIsFetched(t *testing.T) {
	large := func(name string) map[string][]byte { return map[string][]byte{name: make([]byte, 6<<20)} }
	sources := Sources{
		Stores: func(context.Context, string, esv1.SecretStoreRef) (Store, error) { return giant{large("v")}, nil },
	}
	for name, tc := range map[string]struct {
		reason   string
		data     []esv1.ExternalSecretData
		dataFrom []esv1.ExternalSecretDataFrom
		err      string
	}{
		"fits":    {"two that are large", []esv1.ExternalSecretData{one("a", "a")}, []esv1.ExternalSecretDataFrom{extract("b")}, ""},
		"values":  {"three values", []esv1.ExternalSecretData{one("a", "a"), one("b", "b"), one("c", "c")}, nil, "data[2] (c): all values together have more than 16 MiB"},
		"same":    {"of one entry", []esv1.ExternalSecretData{one("a", "a"), one("b", "a"), one("c", "a")}, nil, "data[2] (c)"},
		"sets":    {"three sets", nil, []esv1.ExternalSecretDataFrom{extract("a"), find("x"), extract("b")}, "dataFrom[2]"},
		"of both": {"sets and values", []esv1.ExternalSecretData{one("a", "a")}, []esv1.ExternalSecretDataFrom{extract("b"), find("x")}, "data[0] (a)"},
	} {
		order := Order{Namespace: "ns", Spec: esv1.ExternalSecretSpec{
			Data: tc.data, DataFrom: tc.dataFrom, Target: esv1.ExternalSecretTarget{DeletionPolicy: esv1.DeleteSecret},
		}}
		if _, err := Fetch(t.Context(), order, sources); (err != nil) != (tc.err != "") || err != nil && !strings.Contains(err.Error(), tc.err) {
			t.Errorf("%s: %s: got %v", name, tc.reason, err)
		}
	}
}

// slow is a store that answers when nobody waits any more.
type slow struct{ giant }

func (slow) Read(ctx context.Context, _ provider.Ref, _ time.Time) (entry.Entry, error) {
	<-ctx.Done()
	return entry.Entry{}, context.Cause(ctx)
}

// TestStoresThatAreSlow: an order ends, and says why.
func TestStoresThatAreSlow(t *testing.T) {
	sources := Sources{Stores: func(context.Context, string, esv1.SecretStoreRef) (Store, error) { return slow{}, nil }, Patience: time.Millisecond}
	order := Order{Spec: esv1.ExternalSecretSpec{Data: []esv1.ExternalSecretData{one("a", "a")}}}
	if _, err := Fetch(t.Context(), order, sources); err == nil || !strings.Contains(err.Error(), "fetching all values took more than 1ms: data[0] (a)") {
		t.Errorf("got %v", err)
	}
	ended, cancel := context.WithCancel(t.Context())
	cancel()
	if _, err := Fetch(ended, order, sources); !errors.Is(err, context.Canceled) || strings.Contains(err.Error(), "took more") {
		t.Errorf("nobody waits any more: %v", err)
	}
}

// giant has the same at each place.
type giant struct{ fields map[string][]byte }

func (g giant) Read(context.Context, provider.Ref, time.Time) (entry.Entry, error) {
	return entry.Fields(g.fields), nil
}

func (g giant) Find(context.Context, esv1.Find) (map[string][]byte, error) { return g.fields, nil }

// TestWhatIsAskedOfStores has all that a reference says.
func TestWhatIsAskedOfStores(t *testing.T) {
	var seen []string
	order := Order{Namespace: "ns", Since: time.Unix(7, 0), Spec: esv1.ExternalSecretSpec{
		SecretStoreRef: esv1.SecretStoreRef{Name: "main"},
		Data: []esv1.ExternalSecretData{
			{SecretKey: "a", RemoteRef: esv1.RemoteRef{Key: "k", Version: "3", Property: "p", MetadataPolicy: "Fetch"}},
			{SecretKey: "b", RemoteRef: esv1.RemoteRef{Key: "k", MetadataPolicy: "None"}},
		},
		DataFrom: []esv1.ExternalSecretDataFrom{find("x"), extract("y")},
	}}
	if _, err := Fetch(t.Context(), order, sources(&seen)); err != nil {
		t.Fatal(err)
	}
	want := []string{
		"ns/main find x",
		"ns/main {Key:y Version: Metadata:false Property:} since 7",
		"ns/main {Key:k Version:3 Metadata:true Property:p} since 7",
		"ns/main {Key:k Version: Metadata:false Property:} since 7",
	}
	if diff := cmp.Diff(want, seen); diff != "" {
		t.Errorf("-want +got:\n%s", diff)
	}
}

func TestLenient(t *testing.T) {
	for policy, want := range map[esv1.DeletionPolicy]bool{"": false, esv1.DeleteNothing: false, esv1.DeleteKeys: true, esv1.DeleteSecret: true} {
		if got := Lenient(policy); got != want {
			t.Errorf("%q: got %v", policy, got)
		}
	}
}

// TestLeases: those of values that end are told, also where what comes after them fails.
func TestLeases(t *testing.T) {
	lends := sources(&[]string{})
	lends.Lend = func(_ context.Context, _ string, ref esv1.GeneratorRef) (map[string][]byte, *lease.Lease, error) {
		if ref.Kind == "Password" {
			return map[string][]byte{"password": []byte("x")}, nil, nil
		}
		return map[string][]byte{"user": []byte("y")}, &lease.Lease{ID: ref.Name}, nil
	}
	of := func(kind string) esv1.ExternalSecretDataFrom {
		return esv1.ExternalSecretDataFrom{SourceRef: &esv1.StoreGeneratorSourceRef{GeneratorRef: &esv1.GeneratorRef{Kind: kind, Name: kind + "-1"}}}
	}
	spec := esv1.ExternalSecretSpec{DataFrom: []esv1.ExternalSecretDataFrom{of("Password"), of("VaultDynamicSecret")}}
	want := []lease.Lease{{ID: "VaultDynamicSecret-1"}}
	got, err := Fetch(t.Context(), Order{Namespace: "ns", Spec: spec}, lends)
	if diff := cmp.Diff(want, got.Leases); err != nil || diff != "" || len(got.From) != 2 {
		t.Errorf("%v, %v (-want +got):\n%s", got, err, diff)
	}
	spec.Data = []esv1.ExternalSecretData{{SecretKey: "a", RemoteRef: esv1.RemoteRef{Key: "away"}}}
	got, err = Fetch(t.Context(), Order{Namespace: "ns", Spec: spec}, lends)
	if diff := cmp.Diff(want, got.Leases); !errors.Is(err, errAway) || diff != "" || len(got.From) != 0 {
		t.Errorf("after an error: %v, %v (-want +got):\n%s", got, err, diff)
	}
}
