import Testing

/// Tests with a real browser, one after the other: each browser is several processes.
@Suite(.serialized, .enabled(if: Browser.isAvailable, Comment(rawValue: Browser.requirement)))
enum BrowserTests {}
