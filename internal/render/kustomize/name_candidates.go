package kustomize

import (
	"strings"

	"sigs.k8s.io/kustomize/api/types"

	"github.com/causeway-gitops/causeway/internal/gitops"
)

// candidate is an object that a build reads or generates, with the name that
// the prefixes and suffixes of the kustomizations around it give it. The
// library can write origins into its objects itself, but then it does so for
// each transformer, too, which doubles the time of a build.
type candidate struct {
	name, now string
	at        gitops.Origin
	taken     bool
}

// listing is a file of objects, with the kustomization that lists it.
type listing struct {
	full           string
	prefix, suffix string
}

// list notes a file of objects.
func (r *rewriting) list(full string) {
	r.disk.resources[full] = true
	r.disk.listings = append(r.disk.listings, listing{full, r.frame.prefix, r.frame.suffix})
}

// generators notes the ConfigMaps and Secrets that a kustomization makes.
func (r *rewriting) generators(k *types.Kustomization) {
	for _, g := range k.ConfigMapGenerator {
		r.generated("ConfigMap", g.Name, r.full, r.written)
	}
	for _, g := range k.SecretGenerator {
		r.generated("Secret", g.Name, r.full, r.written)
	}
}

func (r *rewriting) generated(kind, name, file string, text []byte) {
	if len(name) > longestName || r.disk.unlisted <= 0 {
		return
	}
	at := r.disk.where(file, lineOf(text, "name: "+name))
	r.disk.add(kind, candidate{name: name, now: joined(r.frame.prefix, name, r.frame.suffix), at: at})
}

func (d *disk) add(kind string, c candidate) {
	if d.unlisted--; d.unlisted < 0 || len(c.now) > longestName {
		return
	}
	d.candidates[kind] = append(d.candidates[kind], &c)
}

// gather reads the names of what the listed files hold.
func (d *disk) gather() error {
	for _, l := range d.listings {
		if err := d.ctx.Err(); err != nil {
			return err
		}
		for _, m := range d.marksIn(l.full) {
			at := d.where(l.full, 0)
			if at.File != "" && at.Line == 0 {
				at.Line = m.line
			}
			d.add(m.kind, candidate{name: m.name, now: joined(l.prefix, m.name, l.suffix), at: at})
		}
	}
	d.listings = nil
	return nil
}

// longestName is more than any object is named.
const longestName = 1 << 10

// overlong stands for a text that no name has in it.
var overlong = strings.Repeat("-", longestName+1)

// joined are the parts of a name: each of a hundred kustomizations inside one
// another may add a megabyte to those above it.
func joined(parts ...string) string {
	size := 0
	for _, part := range parts {
		size += len(part)
	}
	if size > longestName {
		return overlong
	}
	return strings.Join(parts, "")
}

// place is where an object comes from.
func (d *disk) place(p product) gitops.Origin {
	if p.File != "" {
		full := d.full(p.File)
		if at := d.where(full, 0); at.Line > 0 || at.File == "" {
			return at
		}
		return d.where(full, d.line(full, p.Kind, p.Name))
	}
	for _, kind := range []string{p.Kind, ""} {
		if c := best(d.candidates[kind], p.Name); c != nil {
			c.taken = true
			return c.at
		}
	}
	return gitops.Origin{}
}

// best is the candidate whose name is nearest: the same, the beginning (a
// hash follows the names of generated objects), or a part. Each is taken once
// while there are others as near.
func best(candidates []*candidate, name string) *candidate {
	var found *candidate
	score := 0
	for _, c := range candidates {
		s := 0
		switch {
		case c.name == "":
		case c.now == name:
			s = 3000
		case strings.HasPrefix(name, c.now+"-"):
			s = 2000
		case strings.Contains(name, c.name):
			s = 1000
		}
		if s == 0 {
			continue
		}
		s += 2 * min(len(c.now), 499)
		if !c.taken {
			s++
		}
		if s > score {
			found, score = c, s
		}
	}
	return found
}
