package pushsecret

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"maps"
	"regexp"
	"slices"
	"unicode/utf8"

	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"

	apiextensionsv1 "k8s.io/apiextensions-apiserver/pkg/apis/apiextensions/v1"

	esv1 "github.com/causeway-gitops/causeway/api/externalsecrets/v1"
	"github.com/causeway-gitops/causeway/api/externalsecrets/v1alpha1"
	"github.com/causeway-gitops/causeway/internal/secrets/compute"
	"github.com/causeway-gitops/causeway/internal/secrets/key"
	"github.com/causeway-gitops/causeway/internal/secrets/provider"
)

// planned is one write, and how the status notes it.
type planned struct {
	push provider.Push
	note v1alpha1.PushSecretData
	// from is the key, for people; empty of a whole Secret.
	from string
}

// idOf is what the status calls an entry.
func idOf(note v1alpha1.PushSecretData) string {
	if ref := note.Match.RemoteRef; ref.Property != "" {
		return ref.RemoteKey + "/" + ref.Property
	}
	return note.Match.RemoteRef.RemoteKey
}

func targetOf(note v1alpha1.PushSecretData) provider.Target {
	return provider.Target{Key: note.Match.RemoteRef.RemoteKey, Property: note.Match.RemoteRef.Property}
}

// explicit are the writes of data. What is made of a whole Secret is made once for all of
// them.
func (t *turn) explicit(from source) ([]planned, error) {
	var out []planned
	made := map[string]*reversed{}
	for i, one := range t.of.Spec.Data {
		place := fmt.Sprintf("data[%d]", i)
		strategy := string(one.ConversionStrategy)
		if made[strategy] == nil {
			data, err := key.Reverse(strategy, from.data)
			if err == nil {
				err = t.take(perEntry * len(data))
			}
			if err != nil {
				return nil, fmt.Errorf("%s: %w", place, err)
			}
			made[strategy] = &reversed{data: data}
		}
		data := made[strategy].data
		p := planned{note: one, from: one.Match.SecretKey, push: provider.Push{Target: targetOf(one), Metadata: raw(one.Metadata), Source: from.Source}}
		if p.push.Key == "" {
			return nil, fmt.Errorf("%s: set match.remoteRef.remoteKey", place)
		}
		if p.from == "" {
			if made[strategy].whole == nil {
				whole, err := t.whole(data)
				if err != nil {
					return nil, fmt.Errorf("%s: %w", place, err)
				}
				made[strategy].whole = whole
			}
			p.push.Value, p.push.Fields = made[strategy].whole, data
			out = append(out, p)
			continue
		}
		value, is := data[p.from]
		if !is {
			return nil, fmt.Errorf("%s: Secret %s has no key %q; it has %v", place, from.name, p.from, keysOf(data))
		}
		p.push.Value = value
		out = append(out, p)
	}
	return out, nil
}

// reversed is a Secret by other keys, and as one value where that is asked for.
type reversed struct {
	data  map[string][]byte
	whole []byte
}

func raw(metadata *apiextensionsv1.JSON) json.RawMessage {
	if metadata == nil {
		return nil
	}
	return metadata.Raw
}

// whole is a Secret as one JSON object of texts.
func (t *turn) whole(data map[string][]byte) ([]byte, error) {
	texts := make(map[string]any, len(data))
	for name, value := range data {
		if !utf8.Valid(value) {
			return nil, fmt.Errorf("the value of %q is no text: name its key in match.secretKey", name)
		}
		texts[name] = string(value)
	}
	whole, err := provider.Text(texts)
	if err != nil {
		return nil, err
	}
	t.secrets = append(t.secrets, whole)
	return whole, t.take(len(whole))
}

// many are the writes of one dataTo. What data names itself is not among them.
func (t *turn) many(ctx context.Context, i int, from source) ([]planned, error) {
	to, place := t.of.Spec.DataTo[i], fmt.Sprintf("dataTo[%d]", i)
	if to.RemoteKey != "" && len(to.Rewrite) > 0 {
		return nil, fmt.Errorf("%s: with remoteKey, keys are not rewritten: leave one of remoteKey and rewrite out", place)
	}
	named, err := chosen(t.of, to, from)
	if err != nil {
		return nil, fmt.Errorf("%s: %w", place, err)
	}
	if len(named) == 0 {
		return nil, nil
	}
	note := func(remote, secretKey string) v1alpha1.PushSecretData {
		return v1alpha1.PushSecretData{
			Match: v1alpha1.Match{SecretKey: secretKey, RemoteRef: v1alpha1.RemoteRef{RemoteKey: remote}}, Metadata: to.Metadata, ConversionStrategy: to.ConversionStrategy,
		}
	}
	if err := t.take(perEntry * len(named)); err != nil {
		return nil, fmt.Errorf("%s: %w", place, err)
	}
	data := make(map[string][]byte, len(named))
	for name, secretKey := range named {
		data[name] = from.data[secretKey]
	}
	if to.RemoteKey != "" {
		value, err := t.whole(data)
		if err != nil {
			return nil, fmt.Errorf("%s: %w", place, err)
		}
		return []planned{{note: note(to.RemoteKey, ""), push: provider.Push{
			Target: provider.Target{Key: to.RemoteKey}, Value: value, Fields: data, Metadata: raw(to.Metadata), Source: from.Source,
		}}}, nil
	}
	remote, err := t.rewritten(ctx, place, to.Rewrite, named)
	if err != nil {
		return nil, err
	}
	var out []planned
	for name, secretKey := range remote {
		out = append(out, planned{note: note(name, secretKey), from: secretKey, push: provider.Push{
			Target: provider.Target{Key: name}, Value: from.data[secretKey], Metadata: raw(to.Metadata), Source: from.Source,
		}})
	}
	slices.SortFunc(out, func(a, b planned) int { return compare(idOf(a.note), idOf(b.note)) })
	return out, nil
}

// chosen are the keys of a Secret that a dataTo is about, by what they are converted to.
func chosen(of *v1alpha1.PushSecret, to v1alpha1.DataTo, from source) (map[string]string, error) {
	pattern := &regexp.Regexp{}
	if to.Match != nil && to.Match.RegExp != "" {
		var err error
		if pattern, err = regexp.Compile(to.Match.RegExp); err != nil {
			return nil, fmt.Errorf("match.regexp: %w", err)
		}
	}
	keys := make(map[string][]byte, len(from.data))
	for secretKey := range from.data {
		if !slices.ContainsFunc(of.Spec.Data, func(d v1alpha1.PushSecretData) bool { return d.Match.SecretKey == secretKey }) {
			keys[secretKey] = []byte(secretKey)
		}
	}
	converted, err := key.Reverse(string(to.ConversionStrategy), keys)
	if err != nil {
		return nil, err
	}
	out := map[string]string{}
	for name, secretKey := range converted {
		if to.Match == nil || to.Match.RegExp == "" || pattern.MatchString(name) {
			out[name] = string(secretKey)
		}
	}
	return out, nil
}

// rewritten are keys by the names of their entries. Patterns and templates of others run
// in workers, and are given no value.
func (t *turn) rewritten(ctx context.Context, place string, operations []v1alpha1.Rewrite, named map[string]string) (map[string]string, error) {
	if len(operations) == 0 {
		return named, nil
	}
	set := compute.Set{Place: place, Remote: true, Data: map[string][]byte{}}
	for i, one := range operations {
		if (one.Regexp == nil) == (one.Transform == nil) {
			return nil, fmt.Errorf("%s.rewrite[%d]: set one of regexp and transform", place, i)
		}
		set.Rewrite = append(set.Rewrite, esv1.Rewrite{Regexp: one.Regexp, Transform: one.Transform})
	}
	for name, secretKey := range named {
		set.Data[name] = []byte(secretKey)
	}
	made, err := t.r.Compute.Do(ctx, compute.Job{From: []compute.Set{set}, Object: map[string]any{"apiVersion": "v1", "kind": "ConfigMap"}})
	if err != nil {
		return nil, err
	}
	texts, _ := made.Object["data"].(map[string]any)
	if len(texts) < len(named) {
		return nil, fmt.Errorf("%s.rewrite: %w", place, errors.New("two keys get the same name: each is written to an entry of its own"))
	}
	out := make(map[string]string, len(texts))
	for name, secretKey := range texts {
		if name == "" {
			return nil, fmt.Errorf("%s.rewrite: the key %q gets an empty name", place, secretKey)
		}
		out[name], _ = secretKey.(string)
	}
	return out, nil
}

// unique is an error where two writes have the same target: which of them counts would be
// by chance.
func unique(all []planned) error {
	seen := map[provider.Target]string{}
	for _, one := range all {
		if other, twice := seen[one.push.Target]; twice {
			return fmt.Errorf("%s is written by %s and by %s", one.push.Target, other, orWhole(one.from))
		}
		seen[one.push.Target] = orWhole(one.from)
	}
	return nil
}

func orWhole(secretKey string) string {
	if secretKey == "" {
		return "the whole Secret"
	}
	return fmt.Sprintf("the key %q", secretKey)
}

// named are the entries of data, for each store, without values.
func (t *turn) named(stores []opened) map[string][]planned {
	plan := map[string][]planned{}
	for _, one := range stores {
		for _, note := range t.of.Spec.Data {
			plan[one.id] = append(plan[one.id], planned{note: note})
		}
	}
	return plan
}

// plan is what is written to each store.
func (t *turn) plan(ctx context.Context, stores []opened, from []source) (map[string][]planned, error) {
	plan := map[string][]planned{}
	for _, one := range from {
		made, err := t.templated(ctx, one)
		if err != nil {
			return nil, err
		}
		single, err := t.explicit(made)
		if err != nil {
			return nil, err
		}
		if err := t.take(perEntry * len(single) * len(stores)); err != nil {
			return nil, err
		}
		for _, s := range stores {
			plan[s.id] = append(plan[s.id], single...)
		}
		for i, to := range t.of.Spec.DataTo {
			all, err := t.many(ctx, i, made)
			if err != nil {
				return nil, err
			}
			targets, err := targetsOf(to, stores)
			if err != nil {
				return nil, fmt.Errorf("dataTo[%d].storeRef: %w", i, err)
			}
			if err := t.take(perEntry * len(all) * len(targets)); err != nil {
				return nil, fmt.Errorf("dataTo[%d]: %w", i, err)
			}
			for _, id := range targets {
				plan[id] = append(plan[id], all...)
			}
		}
	}
	for _, id := range slices.Sorted(maps.Keys(plan)) {
		if err := unique(plan[id]); err != nil {
			return nil, fmt.Errorf("%s: %w", id, err)
		}
	}
	return plan, nil
}

// targetsOf are the stores of a dataTo, among those of the PushSecret.
func targetsOf(to v1alpha1.DataTo, stores []opened) (ids []string, err error) {
	if to.StoreRef == nil || (to.StoreRef.Name == "") == (to.StoreRef.LabelSelector == nil) {
		return nil, errors.New("set one of name and labelSelector")
	}
	selector, err := metav1.LabelSelectorAsSelector(to.StoreRef.LabelSelector)
	if err != nil {
		return nil, fmt.Errorf("labelSelector: %w", err)
	}
	kind := to.StoreRef.Kind
	if kind == "" {
		kind = esv1.SecretStoreKind
	}
	for _, one := range stores {
		named := to.StoreRef.Name != "" && to.StoreRef.Name == one.found.Name
		if kind == one.found.Kind && (named || to.StoreRef.Name == "" && selector.Matches(labelSet(one.labels))) {
			ids = append(ids, one.id)
		}
	}
	if len(ids) == 0 {
		return nil, errors.New("secretStoreRefs names no such store")
	}
	return ids, nil
}
