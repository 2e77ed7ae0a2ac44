package guard

import "sync"

// Current reads what an installation says of its limits now, each text once. It is safe
// for concurrent use; the zero value has read nothing.
type Current struct {
	mu   sync.Mutex
	text string
	read *Settings
}

// Of are the limits that a text names. Of one that cannot be read the defaults are in
// force; the error comes when it is read, and not each time that somebody asks.
func (c *Current) Of(text string) (Settings, error) {
	c.mu.Lock()
	defer c.mu.Unlock()
	if c.read != nil && text == c.text {
		return *c.read, nil
	}
	read, err := ParseSettings(text)
	c.text, c.read = text, &read
	return read, err
}
