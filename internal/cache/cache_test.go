package cache

import "testing"

func TestLRU(t *testing.T) {
	c := New[string, int](80)
	for i, k := range []string{"a", "b", "c", "d", "e", "f", "g", "h"} {
		c.Put(k, i, 10)
	}
	if _, ok := c.Get("a"); !ok {
		t.Fatal("a fits")
	}
	c.Put("i", 8, 10)
	if _, ok := c.Get("b"); ok {
		t.Error("b was not used for longest and must go")
	}
	if v, ok := c.Get("a"); !ok || v != 0 {
		t.Error("a was used and must stay")
	}
	c.Put("large", 9, 11)
	if _, ok := c.Get("large"); ok {
		t.Error("a value over an eighth of the limit is not kept")
	}
}

// What grows counts with the size that it has now.
func TestLRUOfWhatGrows(t *testing.T) {
	c := New[string, int](80)
	for i, k := range []string{"a", "b", "c", "d", "e", "f", "g", "h"} {
		c.Put(k, i, 0)
		c.Put(k, i+100, 10)
	}
	if v, ok := c.Get("a"); !ok || v != 100 {
		t.Errorf("a is %d, %v", v, ok)
	}
	c.Put("i", 8, 0)
	c.Put("i", 8, 10)
	if _, ok := c.Get("b"); ok {
		t.Error("there is no room for b any more")
	}
	c.Put("a", 1, 11)
	if _, ok := c.Get("a"); ok {
		t.Error("a is too large by now")
	}
}
