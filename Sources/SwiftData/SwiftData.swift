// For sources with `import SwiftData`, which also re-exports Foundation and Observation.
@_exported public import Chronicle
@_exported public import Foundation
@_exported public import Observation
