// For sources with `import SwiftData`, which also re-exports Foundation.
@_exported public import Chronicle
@_exported public import Foundation
