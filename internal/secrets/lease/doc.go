// Package lease tells of credentials that end: until when they count, when they are
// renewed, and when others have to take their place. It asks no server.
package lease
