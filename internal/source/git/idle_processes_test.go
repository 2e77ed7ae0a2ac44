package git

import (
	"testing"

	"github.com/causeway-gitops/causeway/internal/source/access"
)

// TestIdleReadersOfAllStores reads many stores, one after the other: those that
// were read last keep their process, and the others none.
func TestIdleReadersOfAllStores(t *testing.T) {
	u := newUpstream(t)
	u.write("a", "content")
	u.commit("first")
	r := newRemote(t, u.dir, access.Credential{})
	snapshot(t, look(t, r), "main")
	hash := u.git("rev-parse", "HEAD:a")
	c := r.store.command
	stores := make([]*objects, mostIdle+10)
	for i := range stores {
		stores[i] = &objects{command: c, dir: r.store.dir}
		defer stores[i].close()
		if _, _, err := stores[i].read(hash, 1<<20); err != nil {
			t.Fatal(err)
		}
	}
	if n := len(c.idle.all); n != mostIdle {
		t.Errorf("%d processes are idle, want %d", n, mostIdle)
	}
	for i, want := range map[int]bool{0: false, 9: false, 10: true, len(stores) - 1: true} {
		if p, _ := c.idle.take(stores[i], whole); (p != nil) != want {
			t.Errorf("store %d has a process: %t", i, p != nil)
		} else if p != nil {
			p.give()
		}
	}
}

// TestIdleReadersOfAStore end one by one where more read at a time than are kept,
// and none is kept of what is closed.
func TestIdleReadersOfAStore(t *testing.T) {
	u := newUpstream(t)
	u.commit("first")
	r := newRemote(t, u.dir, access.Credential{})
	o := &objects{command: r.store.command, dir: u.dir}
	var all []*reader
	for range spare + 2 {
		p, err := o.take(header)
		if err != nil {
			t.Fatal(err)
		}
		all = append(all, p)
	}
	before := len(o.command.idle.all)
	for _, p := range all {
		p.give()
	}
	if n := len(o.command.idle.all) - before; n != spare {
		t.Errorf("%d are kept, want %d", n, spare)
	}
	p, err := o.take(header)
	if err != nil {
		t.Fatal(err)
	}
	o.close()
	p.give()
	if n := len(o.command.idle.all) - before; n != 0 {
		t.Errorf("%d are kept of what is closed", n)
	}
}
