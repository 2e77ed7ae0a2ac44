package cache

import "testing"

// TestShares has an owner who puts in more than there is room for, and others
// who lose nothing by it.
func TestShares(t *testing.T) {
	c := NewShares[string, int](100, 60)
	c.Put("blue", "b", 1, 30)
	for i, key := range []string{"r1", "r2", "r3", "r4", "r5"} {
		c.Put("red", key, i, 20)
	}
	for key, want := range map[string]bool{"b": true, "r1": false, "r2": false, "r3": true, "r5": true} {
		if _, ok := c.Get(key); ok != want {
			t.Errorf("%s is kept: %t, want %t", key, ok, want)
		}
	}
	if c.size != 90 || c.owners["red"].size != 60 {
		t.Errorf("%d bytes, and red has %d", c.size, c.owners["red"].size)
	}
	c.Put("red", "r6", 6, 61)
	if _, ok := c.Get("r6"); ok {
		t.Error("what is larger than a share is not kept")
	}
}

// TestSharesTakeFromWhoHasMost fills all of it.
func TestSharesTakeFromWhoHasMost(t *testing.T) {
	c := NewShares[string, int](100, 60)
	c.Put("red", "r1", 1, 20)
	c.Put("red", "r2", 2, 30)
	c.Put("blue", "b", 3, 40)
	if _, ok := c.Get("r1"); !ok {
		t.Fatal("there is room for r1")
	}
	c.Put("green", "g", 4, 30)
	for key, want := range map[string]bool{"r1": true, "r2": false, "b": true, "g": true} {
		if _, ok := c.Get(key); ok != want {
			t.Errorf("%s is kept: %t, want %t", key, ok, want)
		}
	}
	c.Put("green", "all", 5, 60)
	if _, ok := c.Get("all"); !ok {
		t.Error("what was kept just now goes for what is older")
	}
	if c.size > 100 {
		t.Errorf("%d bytes are kept", c.size)
	}
}

// TestSharesOfWhatChanges puts another value, of another owner, under a key.
func TestSharesOfWhatChanges(t *testing.T) {
	c := NewShares[string, int](100, 60)
	c.Put("red", "x", 1, 20)
	c.Put("blue", "x", 2, 10)
	if v, ok := c.Get("x"); !ok || v != 2 || c.size != 10 || c.owners["red"] != nil {
		t.Errorf("x is %d, %t; %d bytes, red has %+v", v, ok, c.size, c.owners["red"])
	}
	c.Put("blue", "x", 3, 61)
	if len(c.items) != 0 || len(c.owners) != 0 || c.size != 0 {
		t.Errorf("something is left: %+v", c)
	}
}

// TestSharesOfOneOwner: a share that is no part of the whole is all of it.
func TestSharesOfOneOwner(t *testing.T) {
	c := NewShares[int, int](30, 100)
	for i := range 5 {
		c.Put("red", i, i, 10)
	}
	c.Put("red", 9, 9, 31)
	for key, want := range map[int]bool{0: false, 1: false, 2: true, 3: true, 4: true, 9: false} {
		if _, ok := c.Get(key); ok != want {
			t.Errorf("%d is kept: %t", key, ok)
		}
	}
}
