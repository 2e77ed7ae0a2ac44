// Package auth says who asks: it has the user and how they signed in, and hands
// both on by the context. How somebody proves that, and what they may do, is in
// the packages below it.
package auth
